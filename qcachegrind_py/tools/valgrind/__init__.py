"""Valgrind: its installation, options and command line."""
