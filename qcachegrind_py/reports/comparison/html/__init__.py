"""Two profiles compared as a single HTML page."""
