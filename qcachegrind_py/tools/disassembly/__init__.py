"""Instructions of a function, decoded from a binary."""
