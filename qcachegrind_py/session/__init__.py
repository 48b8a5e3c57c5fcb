"""Program state without widgets: the open profile, navigation, background jobs, settings."""
