"""The options of the command: a module for each task, listed in `cli.arguments`."""
