"""Analysis of profiles: pure functions from profile tables to arrays, and cached queries."""
