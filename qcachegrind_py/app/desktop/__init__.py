"""The program on a freedesktop desktop: its entry, file types, icons; put there and taken back."""
