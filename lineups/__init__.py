"""The design of a study: lineups, replacements, matched pairs and the ready studies."""
