"""Files of measurements as channels of runs: formats, columns, units, repairs."""
