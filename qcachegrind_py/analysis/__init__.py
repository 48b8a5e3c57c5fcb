"""Questions asked of a profile, answered with arrays."""
