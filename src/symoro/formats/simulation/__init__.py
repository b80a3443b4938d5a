"""Reads the models of SDF: poses relative to other things, axes in several frames, joints that close loops."""
