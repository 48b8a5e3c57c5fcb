"""Menu entry, icons and file types on the user's desktop; one running instance."""
