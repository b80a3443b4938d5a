"""The algorithms, one a file, each written once: functions from a robot's symbols to results."""
