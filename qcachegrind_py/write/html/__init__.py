"""HTML pages for offline reading: of a profile, of a comparison and of a history."""
