"""The History dock: costs of functions over the revisions of a program, as a chart and a list."""
