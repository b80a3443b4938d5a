"""A robot bound to a graph: symbols, state, structure, inputs and parameters with their meaning."""
