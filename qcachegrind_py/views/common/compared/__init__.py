"""How views give what is compared."""
