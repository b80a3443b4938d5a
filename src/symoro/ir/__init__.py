"""Expressions and programs, from which every model is made. This package knows nothing of robots."""
