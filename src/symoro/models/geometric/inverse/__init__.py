"""Inverse geometric models: the joint positions that give a wanted pose (K97 §§ 3.3-3.4)."""
