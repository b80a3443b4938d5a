"""Expressions and programs: what every model becomes. Knows nothing of robots."""
