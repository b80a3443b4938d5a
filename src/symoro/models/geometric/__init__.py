"""Geometric models."""
