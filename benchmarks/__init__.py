"""Measurements as commands: each prints its own figures with the machine that gave them."""
