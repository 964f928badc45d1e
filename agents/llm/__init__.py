"""The LLM harness: decision windows, tools, company database, private files, budgets, checkpoint."""
