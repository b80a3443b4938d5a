"""Formulations with fewer operations than the papers' own. Their derivation is in docs/theory/fewer-operations.md."""
