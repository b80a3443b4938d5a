"""Dynamic models."""
