"""The robot to identify: its regressor, its standard parameters, its limits and the branches of its loops."""
