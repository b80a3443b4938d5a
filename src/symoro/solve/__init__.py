"""Positions: joints for a pose, poses and passive joints for the motors."""
