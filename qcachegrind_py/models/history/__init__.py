"""Models of a history: functions over revisions, and the files of revisions."""
