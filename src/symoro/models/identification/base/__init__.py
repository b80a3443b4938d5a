"""Base inertial parameters: the fewest combinations of a robot's parameters that give the same torques (GK88)."""
