"""The identification models: each is a matrix with a column for each parameter, multiplied by the parameters."""
