# SPDX-License-Identifier: Apache-2.0
"""A release that is one JSON document instead of rows: a model, the names of columns, weights of columns.

A document says of which shape it is, which columns it speaks of, and then what its shape holds and nothing else. It is
written in one way only, so a file that says the same in other bytes was edited. What a promise needs to check a
document again, and the document must not tell, is the owner's: the rows it was made from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from discreet.data.column import Kind
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.opening import MOST_STATED, open_file, read_most

SHAPES = ("model", "names", "weights")
FORMAT = 1


# -- what each shape holds -----------------------------------------------------------------------------------------


class _Stated(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Column(_Stated):
    name: str
    role: Literal["target", "quasi", "sensitive", "other"]
    kind: Kind | Literal["item"]


class _Noise(_Stated):
    mechanism: str = Field(max_length=30)
    sensitivity: float
    scale: float
    picks: int
    delta: float
    neighbours: str = Field(max_length=30)


class _Head(_Stated):
    format: Literal[1]
    shape: str
    columns: list[_Column]


class _Names(_Head):
    names: list[str]
    noise: list[_Noise]


class _Weights(_Head):
    weights: list[float]
    noise: list[_Noise]


class _Leaf(_Stated):
    label: str | int | float = Field(alias="class")
    at_least: int
    counts: list[int] | None


class _Cut(_Stated):
    column: str
    cut: float | None
    below: int
    not_below: int


class _Branches(_Stated):
    column: str
    level: int
    branches: dict[str, int]
    missing: int | None
    otherwise: int


class _Model(_Head):
    model: Literal["decision tree"]
    counted: Literal["rows", "persons"]
    classes: list[str | int | float]
    values: dict[str, dict[str, list[str]]]
    nodes: list[_Leaf | _Cut | _Branches]


_SCHEMAS: dict[str, type[_Head]] = {"model": _Model, "names": _Names, "weights": _Weights}


# -- a document ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Document:
    """What is published, `content`; and the owner's rows behind it, with their persons where persons are counted.

    >>> d = Document.of("names", [("age", "quasi", "number")], {"names": ["age"], "noise": []})
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
            stated = _SCHEMAS[shape].model_validate_json(written)
            document = cls(shape, json.loads(written))
            again = document.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"The document does not hold what a document of the shape {shape!r} holds, and nothing else"
                f" ({type(error).__name__})."
            ) from None
        names = [column.name for column in stated.columns]
        if stated.shape != shape or len(set(names)) < len(names):
            raise DataError(f"The document does not state its shape {shape!r}, or names a column twice.")
        if isinstance(stated, _Names) and stated.names != names:
            raise DataError("The document lists other names than its columns have.")
        if isinstance(stated, _Weights) and len(stated.weights) != len(names):
            raise DataError(f"The document has {len(stated.weights)} weights of {len(names)} columns.")
        if again != written:  # a key that stands twice, a number written otherwise, a space more
            raise DataError("The document is not written as discreet writes it: it was edited.")
        return document


def read_document(source: Path | BinaryIO, shape: str) -> Document:
    with open_file(source) as (file, name):
        if name != f"{shape}.json":
            raise DataError(
                f"A release of the shape {shape!r} is the file {shape}.json; the certificate names another."
            )
        return Document.from_bytes(read_most(file, MOST_STATED), shape)
