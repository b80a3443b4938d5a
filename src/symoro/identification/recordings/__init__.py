"""One recording: which column is which channel, in which unit, and runs of samples in order of time."""
