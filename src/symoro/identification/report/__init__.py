"""What a fit says: suspicions about the measurements, uncertainty, and the result with its tables and pictures."""
