"""Inverse geometric models: the joint positions that give a pose."""
