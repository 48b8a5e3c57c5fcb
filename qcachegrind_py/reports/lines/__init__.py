"""The costs of source lines, for editors and other programs."""
