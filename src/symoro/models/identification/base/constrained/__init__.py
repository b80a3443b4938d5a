"""What closed loops and rolling wheels regroup of the base parameters of the open tree."""
