"""The docks with lists, tables and trees."""
