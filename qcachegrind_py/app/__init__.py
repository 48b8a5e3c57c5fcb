"""The program around the views: windows, actions, dialogs."""
