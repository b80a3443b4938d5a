"""Estimators of parameters, one a file, all with one result: `Estimate`."""
