"""What a profile is: events, names, tables of columns, parts. Nothing here reads or shows one."""
