"""Valgrind: whether it is installed, its options and its command line."""
