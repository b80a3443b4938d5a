"""Parameters of bodies that can exist."""
