"""The frame of the main window: actions, menus, docks, toolbar, notices."""
