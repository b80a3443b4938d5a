"""Helpers that tests share: random robots, and oracles that use none of symoro's algorithms."""
