"""Names, groups and colours of functions, classes and paths, and searching them."""
