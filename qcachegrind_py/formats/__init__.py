"""File formats of profiles: detection, compression, loading, and one folder for each format."""
