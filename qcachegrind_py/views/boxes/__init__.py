"""Calls nested in calls, drawn as boxes: call maps and flame graphs."""
