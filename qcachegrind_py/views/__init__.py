"""The views: one dock's content a file."""
