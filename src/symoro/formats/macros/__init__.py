"""Expands xacro files safely: expressions by an interpreter of our own, other files only inside given folders."""
