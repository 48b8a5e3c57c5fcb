"""What views are made of: labels, buttons, fields, colours, empty pages."""
