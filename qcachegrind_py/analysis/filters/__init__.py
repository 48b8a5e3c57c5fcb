"""The filter language: parsing it and applying it to functions."""
