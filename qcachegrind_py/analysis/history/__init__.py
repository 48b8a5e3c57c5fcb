"""Histories: the costs of functions over many profiles, one for each revision of a program."""
