"""Two profiles compared, as text, tables, JSON and pages, and what a gate says of them."""
