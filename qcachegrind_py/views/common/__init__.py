"""Shared parts of the views: base classes, tables, search fields, menus and picture export."""
