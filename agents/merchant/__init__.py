"""Policies without a model for stores on `merchant@1`."""
