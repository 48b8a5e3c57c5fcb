"""What the window says of a comparison as a whole: its sides, its totals, what differs."""
