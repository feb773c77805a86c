# SPDX-License-Identifier: Apache-2.0
"""What a shell completes after an option: methods, attacks, classifiers, columns of the file that was named."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import typer

from discreet.errors import quietly

_HEAD = 1 << 16  # bytes of a file in which its header is looked for


def _last(incomplete: str, words: Iterable[str]) -> list[str]:
    """Completions of the last of several words that are separated by commas."""
    before, comma, start = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [f"{before}{comma}{word}" for word in words if word.startswith(start) and word not in taken]


def complete_methods(incomplete: str) -> list[str]:
    from discreet.methods import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


def complete_attacks(incomplete: str) -> list[str]:
    from discreet.attacks.registry import ATTACKS

    return _last(incomplete, ATTACKS)


def complete_classifiers(incomplete: str) -> list[str]:
    from discreet.learning.classifiers import CLASSIFIERS

    return _last(incomplete, CLASSIFIERS)


def complete_mechanisms(incomplete: str) -> list[str]:
    from discreet.mechanisms import MECHANISMS

    return [name for name in MECHANISMS if name.startswith(incomplete)]


def complete_samples(incomplete: str) -> list[str]:
    from discreet.samples import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_engines(incomplete: str) -> list[str]:
    from discreet.engines.engine_names import ENGINES

    return [name for name in ENGINES if name.startswith(incomplete)]


def complete_formats(incomplete: str) -> list[str]:
    from discreet.data.formats_out import OUT

    return [name for name in OUT if name.startswith(incomplete)]


def complete_columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the file that was named; none if it cannot be read at a glance."""
    typed = [context.params.get(name) for name in ("file", "data", "known")]
    files = [Path(one) for one in (*typed, *context.args) if one and Path(one).is_file()]  # not parsed before an option
    names: list[str] = quietly(_columns, files[0])[0] or [] if files else []
    return _last(incomplete, [name for name in names if "," not in name and name.isprintable()])


def _columns(path: Path) -> list[str]:
    """The names in the first line of a text file, or in the schema of a Parquet file.

    None where the first line may be data: a shell keeps what it completes.
    """
    from discreet.data.file_layout import find_delimiter, find_quote
    from discreet.data.transactions import looks_like_transactions
    from discreet.foundation.plain_files import check_plain

    check_plain(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        return list(pq.read_schema(path).names)
    if b"\x00" in head or looks_like_transactions(path):
        return []
    text = head.decode("utf-8-sig", errors="replace")
    text = text[: text.rfind("\n") + 1] or text
    quote = find_quote(text)
    rows = csv.reader(text.splitlines(), delimiter=find_delimiter(text, quote), quotechar=quote or '"')
    names = [name.strip() for name in next(rows)]
    cells = {cell.strip() for row in rows for cell in row}
    return [] if any(name in cells or not _WORD.search(name) for name in names) else names


_WORD = re.compile(r"[^\W\d_]")  # a letter: names have one, most data that is not text has none
