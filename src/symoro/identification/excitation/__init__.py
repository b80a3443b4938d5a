"""Motions along which the parameters of a robot are seen best."""
