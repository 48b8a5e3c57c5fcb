"""Search for functions by text, by regular expression and by fuzzy matching."""
