"""The Call Graph dock, and the base of diagrams with boxes and arrows."""
