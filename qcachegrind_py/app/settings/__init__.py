"""The dialogs for settings, paths and event types."""
