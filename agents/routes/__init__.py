"""Provider routes: one YAML entry each, spoken to through litellm, the one room that imports it."""
