"""The command palette: one dialog that finds commands, functions, views and settings."""
