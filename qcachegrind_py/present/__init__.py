"""Answers about a profile as immutable descriptions of what is shown, without Qt."""
