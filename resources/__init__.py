"""Data files only; a package so that they are installed with the program."""
