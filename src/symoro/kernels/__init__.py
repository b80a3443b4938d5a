"""What generated code and compiled functions share: texts of kernels, and the numbers of their elementary functions."""
