"""What is given away of a run: chosen, redacted, packed and checked."""
