"""Closed loops: their geometric and kinematic equations, their assembly by numbers, and their mobility."""
