"""Profiles in and out: detection, compression and a folder a format."""
