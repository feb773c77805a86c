# SPDX-License-Identifier: Apache-2.0
"""A release that is one JSON document instead of rows: a model, the names of columns, weights of columns.

A document says of which shape it is, which columns it speaks of, and then whatever its shape holds. It is written in
one way only, so a file that says the same in other bytes was edited. What a promise needs to check a document again,
and the document must not tell, is the owner's: the rows it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet.data.column import KINDS
from discreet.data.table import Table
from discreet.errors import DataError

SHAPES = ("model", "names", "weights")
FORMAT = 1
_ROLES, _KINDS = ("target", "quasi", "sensitive", "other"), (*KINDS, "item")


@dataclass(frozen=True, eq=False)
class Document:
    """What is published, `content`; and the owner's rows behind it, with their persons where persons are counted.

    >>> d = Document.of("names", [("age", "quasi", "number")], {"names": ["age"]})
    >>> d.columns, d.to_bytes() == Document.from_bytes(d.to_bytes(), "names").to_bytes()
    ((('age', 'quasi', 'number'),), True)
    """

    shape: str
    content: dict[str, Any]
    evidence: Table | None = None
    persons: np.ndarray | None = None

    @classmethod
    def of(cls, shape: str, columns: Sequence[tuple[str, str, str]], said: dict[str, Any]) -> Document:
        """A document from its columns, each a name, a role and a kind, and what it says about them, as plain JSON."""
        named = [{"name": name, "role": role, "kind": kind} for name, role, kind in columns]
        return cls(shape, {"format": FORMAT, "shape": shape, "columns": named, **said})

    @property
    def columns(self) -> tuple[tuple[str, str, str], ...]:
        return tuple((column["name"], column["role"], column["kind"]) for column in self.content["columns"])

    @property
    def file(self) -> str:
        return f"{self.shape}.json"

    def names(self, role: str) -> tuple[str, ...]:
        return tuple(name for name, its, _ in self.columns if its == role)

    def with_evidence(self, evidence: Table | None, persons: np.ndarray | None = None) -> Document:
        return replace(self, evidence=evidence, persons=persons)

    def to_bytes(self) -> bytes:
        return (json.dumps(self.content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()

    @classmethod
    def from_bytes(cls, written: bytes, shape: str) -> Document:
        """The document in these bytes; DataError unless they are written as discreet writes a document of the shape."""
        try:
            document = cls(shape, json.loads(written))
            columns, head = document.columns, [document.content[key] for key in ("format", "shape")]
            again = document.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"The document cannot be read ({type(error).__name__}).") from None
        names = [name for name, _, _ in columns]
        fine = all(isinstance(name, str) and role in _ROLES and kind in _KINDS for name, role, kind in columns)
        if head != [FORMAT, shape] or not fine or len(set(names)) < len(names):
            raise DataError(f"The document does not state its format, its shape {shape!r} and its columns.")
        if again != written:  # a key that stands twice, a number written otherwise, a space more
            raise DataError("The document is not written as discreet writes it: it was edited.")
        return document


def read_document(path: Path, shape: str) -> Document:
    if path.name != f"{shape}.json":
        raise DataError(f"A release of the shape {shape!r} is the file {shape}.json; the certificate names another.")
    return Document.from_bytes(path.read_bytes(), shape)
