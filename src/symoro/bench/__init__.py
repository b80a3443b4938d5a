"""How fast compiled models are beside other libraries, timed in one run."""
