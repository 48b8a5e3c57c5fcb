"""What is installed here, what is missing, and how to get it: without Qt, but for what tries it."""
