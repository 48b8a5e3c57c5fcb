"""Files of Python's own profilers, which the module pstats reads, as profiles."""
