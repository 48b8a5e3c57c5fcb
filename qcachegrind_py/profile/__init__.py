"""The profile data model: tables of columns, names, events, parts and errors."""
