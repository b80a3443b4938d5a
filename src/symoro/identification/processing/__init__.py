"""Filters without phase, the band of a motion, and the motion of a run."""
