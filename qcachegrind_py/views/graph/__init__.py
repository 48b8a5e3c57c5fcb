"""The Call Graph dock, and the diagrams of boxes and arrows."""
