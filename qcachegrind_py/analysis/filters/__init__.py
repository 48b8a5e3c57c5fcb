"""The filter language: its parser and the conditions that functions are tested for."""
