"""The Call Graph and Control Flow docks."""
