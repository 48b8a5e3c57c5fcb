"""Shared parts of all models: table, columns, cells and indexes."""
