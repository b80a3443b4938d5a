"""Pictures of robots and of their motions. They need matplotlib: pip install 'symoro[plot]'."""
