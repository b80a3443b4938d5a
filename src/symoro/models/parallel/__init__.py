"""Parallel robots: a platform and legs, cut from each other at the attachments (K10 § 5)."""
