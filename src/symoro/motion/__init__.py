"""Motions of robots: trajectories, controllers and simulation (K13 chapters 8 and 9)."""
