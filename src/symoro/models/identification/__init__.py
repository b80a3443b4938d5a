"""Base inertial parameters, and the models from which parameters are identified."""
