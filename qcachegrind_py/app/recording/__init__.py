"""The dialog that records a program under valgrind."""
