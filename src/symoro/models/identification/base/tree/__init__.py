"""Base parameters of open trees, by symbols: what the torques sense of each link, and how the rest regroups."""
