"""The description of a robot: immutable data, and functions of it. It knows nothing of expressions and models."""
