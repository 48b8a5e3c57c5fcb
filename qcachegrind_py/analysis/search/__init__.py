"""Finding functions by text, by regular expression and by a few letters."""
