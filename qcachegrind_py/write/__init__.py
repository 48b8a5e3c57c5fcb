"""Descriptions as text, tables, JSON, DOT and other formats: how they are written."""
