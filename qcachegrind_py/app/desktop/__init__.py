"""Install the program on a freedesktop.org desktop, and uninstall it without a trace."""
