"""A small study with a model behind a private gateway, for tests of what is shown and told of it."""

from __future__ import annotations

from pathlib import Path

KEY = "sk-canary-key-77d1aa02"
PANEL = """\
# The gateway of this study is {address}
study: panel
market: {{id: ceo_arena@1, overrides: {{days: 14}}}}
seeds: [11]
repeats: {{11: 1}}
contestants:
  rule: {{policy: rule@1}}
  dear: {{policy: rule@1, params: {{multiplier: 1.1}}}}
  astra: {{policy: llm@1, route: one}}
lineup: [astra, dear]
references: [{{contestant: rule}}]
routes:
  - id: one
    model: openai/model-a
    api_base: "{address}"
    key_env: CANARY_KEY
    settings: {{organization: canary-organisation}}
    price: {{input: 1.0, output: 2.0}}
    limits: {{retry: {{base_seconds: 0.01}}}}
limits: {{usd: 5}}
"""


def panel_study(folder: Path, address: str) -> Path:
    """Write the study, its route at an address."""
    path = folder / "panel.yaml"
    path.write_text(PANEL.format(address=address), encoding="utf-8")
    return path
