"""The task of following functions through many profiles."""
