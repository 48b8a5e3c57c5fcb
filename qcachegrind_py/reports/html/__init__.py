"""The report that is a single HTML page."""
