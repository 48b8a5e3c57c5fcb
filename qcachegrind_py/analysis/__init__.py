"""Questions asked of a profile: pure functions from its tables to arrays."""
