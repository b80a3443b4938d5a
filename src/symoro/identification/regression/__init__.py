"""From measurements to a regression: of runs or of large files, with a prior, of a payload, of fewer parameters."""
