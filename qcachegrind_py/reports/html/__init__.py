"""A profile as one HTML page that needs nothing else: no network, no library, not even scripts.

`values` says what a page is made of, `page.write_html` writes it, and `markup` is where text of a
profile becomes text of a page. Without scripts the page is read as it stands; `report.js` sorts,
searches and zooms in what is there. What of a profile goes into the page, and where sources are, is
not decided here. A page is bounded by what it is made of; a text in it, by 400 characters.
"""
