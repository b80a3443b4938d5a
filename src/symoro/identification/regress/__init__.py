"""The rows y = W β: laws of friction, columns along a motion, filtered rows and their triangular factors."""
