"""Saved views: what one shows of a profile, by names, as values, as text and as files."""
