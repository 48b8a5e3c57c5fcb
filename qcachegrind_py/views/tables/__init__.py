"""The one model of all tables and the widgets that show it: sorted, copied, saved."""
