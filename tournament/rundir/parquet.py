"""Columns to parquet files, durable and whole. pyarrow is imported with the first file, never before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tournament.storage import disk_errors, publish, sha256_of, temporary_beside

Columns = Mapping[str, NDArray[Any] | Sequence[Any]]


def write_parquet(path: Path, columns: Columns, *, texts: Collection[str] | None = None) -> str:
    """Write named columns of equal length; return the SHA-256 of the file (hex).

    Types follow from the values, or where `texts` names the columns of text all others are integers:
    a column of nothing but missing values has a type only then.
    """
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    arrays = {}
    for name, values in columns.items():
        stated = None if texts is None else pa.string() if name in texts else pa.int64()
        arrays[name] = pa.array(values, type=stated)
    temporary = temporary_beside(path)
    with disk_errors(path):
        try:
            parquet.write_table(pa.table(arrays), temporary, compression="zstd")
            publish(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return sha256_of(path)
