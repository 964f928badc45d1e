"""Estimands, contrasts, inference and networks, computed from a run's files."""
