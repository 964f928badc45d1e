"""The JSON schema of the study file, generated from its model: `python -m tournament.study.schema FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tournament.study.model import StudyFile


def schema_text() -> str:
    """Return the schema as it is published in docs/study.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **StudyFile.model_json_schema(),
        "title": "CEO Arena study",
    }
    return json.dumps(schema, indent=2) + "\n"


if __name__ == "__main__":
    if len(sys.argv) == 2:
        Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
    else:
        sys.stdout.write(schema_text())
