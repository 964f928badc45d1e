"""A second market, a plug-in of its own: what shows that nothing above knows a market by name."""
