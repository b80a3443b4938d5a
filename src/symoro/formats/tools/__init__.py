"""Robots from the objects of other tools, and back: Pinocchio, MuJoCo."""
