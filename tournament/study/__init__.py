"""A study file: its text with positions, its model, its checks, and what a reader is told."""
