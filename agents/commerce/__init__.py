"""Policies that speak the market `commerce@1`: one trader core with rows of parameters."""
