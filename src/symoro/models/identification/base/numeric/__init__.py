"""Columns of a regressor that depend on others, found by numbers and recognised as expressions of the geometry."""
