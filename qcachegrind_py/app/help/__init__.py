"""The Help menu: guide and About."""
