"""What a profile is: tables of columns, names, events, parts."""
