"""The docks that are lists, tables and trees."""
