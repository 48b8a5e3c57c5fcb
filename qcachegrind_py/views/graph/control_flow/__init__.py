"""The Control Flow dock."""
