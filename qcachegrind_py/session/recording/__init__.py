"""Recording: running a program under valgrind and following its output."""
