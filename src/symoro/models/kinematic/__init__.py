"""Velocities, accelerations, Jacobian matrices and the kinematics of closed loops."""
