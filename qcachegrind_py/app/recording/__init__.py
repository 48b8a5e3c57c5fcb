"""The dialog that records a program under Valgrind; what runs it is `session/recorder.py`."""
