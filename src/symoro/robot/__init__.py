"""The description of a robot: immutable data and functions of it. This package knows nothing of graphs and models."""
