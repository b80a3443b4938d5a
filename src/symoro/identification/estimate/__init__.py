"""From rows to parameters: regressions, estimators, bodies that can exist."""
