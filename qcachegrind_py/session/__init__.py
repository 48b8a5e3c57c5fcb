"""What is open and where the user is: state and time, with QtCore only."""
