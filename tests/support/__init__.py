"""Shared by the tests: random robots, and independent oracles that use none of symoro's algorithms."""
