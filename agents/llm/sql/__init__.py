"""The company database of a seat and the processes that run its SQL."""
