"""The program: window, actions, dialogs, theme."""
