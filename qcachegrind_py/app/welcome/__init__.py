"""What the window shows until the first profile is open."""
