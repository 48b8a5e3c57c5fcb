"""The page shown while no profile is open."""
