"""From recordings to motions: checks, filters, the band of a motion, and the settings that follow from the data."""
