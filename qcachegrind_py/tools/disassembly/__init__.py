"""Disassembly of functions from a binary."""
