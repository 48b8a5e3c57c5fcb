"""The Parts dock: the dumps and threads of a run as a table and as a timeline."""
