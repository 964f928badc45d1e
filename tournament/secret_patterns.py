"""What secrets look like and what their fields are called, so that one that was pasted is never repeated.

Keys are recognised by shape alone, on any machine, before anything is known of them: an error text that
quotes a value, an entry that names a variable, a report that shows a study all ask here first.
"""

from __future__ import annotations

import re
from typing import Final

KEY_SHAPED: Final = re.compile(
    r"\b(?:(?:sk|pk|rk|gsk|xai)[-_][A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|gh[a-z]_[A-Za-z0-9]{20,}|(?:AKIA|ASIA)[A-Z0-9]{12,})"
)
BEARER: Final = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}", re.IGNORECASE)
LONGEST_NAME: Final = 40
_LOOKED_AT: Final = 10_000
_SECRET_NAME: Final = re.compile(r"(^|_)(api_?key|key|token|secret|password|passwd|credentials?)$")
_SECRETS: Final = frozenset(
    {"authorization", "proxy_authorization", "cookie", "auth", "bearer", "aws_access_key_id"}
)
# Names of a provider's parameters that are no secrets, whatever they end in.
_NO_SECRETS: Final = frozenset({"prompt_cache_key"})
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PREFIXED: Final = re.compile(
    r"(?:sk|pk|rk)[-_]|gsk_|xai-|hf_|AIza|(?:AKIA|ASIA)[A-Z0-9]{12}|gh[a-z]_|github_pat_|nvapi-|pplx-|eyJ|ya29"
)
# Digits among letters without a break, as no person names a variable.
_NOISE: Final = re.compile(
    r"(?=[A-Za-z0-9]*[0-9])(?:[A-Za-z0-9]{20,}"
    r"|(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{16,})"
)


# Letters and digits that change places this often in one run were drawn, not written.
_CHANGES: Final = 4
_RUN: Final = re.compile(r"[A-Za-z0-9]{20,}")
_CHANGE: Final = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")


def is_secret_name(name: str) -> bool:
    """Tell whether a field is named as what holds a secret: `api_key`, `accessToken`, `X-API-Key`."""
    plain = re.sub(r"[-. ]", "_", _HUMP.sub("_", name)).lower()
    return plain not in _NO_SECRETS and (plain in _SECRETS or _SECRET_NAME.search(plain) is not None)


def is_key_like(name: str) -> bool:
    """Tell whether what should be a variable's name looks like a key."""
    return len(name) > LONGEST_NAME or bool(_PREFIXED.match(name)) or bool(_NOISE.search(name))


def holds_key(text: str) -> bool:
    """Tell whether a text has something of the shape of a key in it."""
    return bool(KEY_SHAPED.search(text) or BEARER.search(text))


def looks_secret(text: str) -> bool:
    """Tell whether a text that should be a name may be a pasted key: of a key's shape, or drawn at random."""
    runs = _RUN.findall(text[:_LOOKED_AT])
    return holds_key(text[:_LOOKED_AT]) or any(len(_CHANGE.findall(run)) >= _CHANGES for run in runs)
