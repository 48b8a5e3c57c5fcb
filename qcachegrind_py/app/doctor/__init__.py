"""`--doctor`: report what is installed, what is missing, and how to install it, without Qt."""
