"""What is said of a profile without a window: text, tables, JSON, HTML, DOT."""
