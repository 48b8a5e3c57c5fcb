"""Profiles in and out: recognise a file, unpack it, read it."""
