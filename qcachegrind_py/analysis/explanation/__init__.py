"""How numbers come about, down to the rows of the profile."""
