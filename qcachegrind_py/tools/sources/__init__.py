"""Source files: finding, reading, highlighting and editing them."""
