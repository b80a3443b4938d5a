"""Files of measurements as columns by name, one module a format."""
