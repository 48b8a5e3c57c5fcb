"""The command `qcachegrind-py`."""
