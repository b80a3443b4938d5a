"""The geometry of parallel robots: legs for a pose of the platform, and poses of the platform for its motors."""
