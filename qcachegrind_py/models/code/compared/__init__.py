"""What code tables have in a comparison."""
