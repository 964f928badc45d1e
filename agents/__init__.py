"""Contestants: baselines, strategies and LLM CEOs, which see a market through a desk alone."""
