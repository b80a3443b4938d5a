"""What a fit says about the measurements: delays, outliers, wrong signs, units, columns and rates."""
