"""Opening, watching, saving and exporting files from the window."""
