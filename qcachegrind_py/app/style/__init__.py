"""Theme, icons, resources and plain text widgets."""
