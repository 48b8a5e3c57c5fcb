"""Reports of a history: how the costs of functions changed over many revisions."""
