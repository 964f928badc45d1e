"""Markets: parts that markets share, and one sub-package a market."""
