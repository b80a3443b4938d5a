"""Measurements of a robot: several recordings, what is wrong with them, and the settings that follow from them."""
