"""The `tournament` command: the composition root, and the only room that reads the environment."""
