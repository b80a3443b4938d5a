"""Velocities, accelerations and Jacobian matrices; robots on wheels."""
