"""Headless reports about a profile: text, tables, JSON, HTML, DOT."""
