"""Ready study files, shipped as package data."""
