"""Saved views: the menu, its commands and dialogs."""
