"""Menu bar, toolbar, and context menus of the main window."""
