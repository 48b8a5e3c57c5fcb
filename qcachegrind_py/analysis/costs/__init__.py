"""Self and inclusive costs, totals, cycles and recursion levels."""
