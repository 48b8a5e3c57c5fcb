"""The command and the dialog that open a history."""
