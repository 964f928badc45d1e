"""The journal of a world: its rows, the one writer, and everybody who reads."""
