"""The orchestrator: from a study file to a plan, worlds played, journals and tables."""
