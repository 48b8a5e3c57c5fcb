"""Self and inclusive costs, totals, cycles, recursion levels and reload summaries."""
