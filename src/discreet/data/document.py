# SPDX-License-Identifier: Apache-2.0
"""A release that is one JSON document instead of rows: a model, names of columns, or weights of columns.

A document states its shape, its columns, and the fields of its shape and nothing else. It is written in one way only,
so a file with the same content in other bytes was edited. The rows behind it, with which the owner can check the
promise again, stay with the owner.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.column import KINDS
from discreet.data.content import Columns, Content, File, PublishedColumn
from discreet.data.table import Table
from discreet.errors import DataError, quietly
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import MOST_STATED, open_file, read_most

if TYPE_CHECKING:
    from discreet.data.roles import Roles

SHAPES = ("model", "names", "weights")
FORMAT = 1


# -- what each shape holds -----------------------------------------------------------------------------------------

_HEAD = {"format": int, "shape": str, "columns": list}
_KEYS: dict[str, dict[str, type]] = {
    "names": {**_HEAD, "names": list, "noise": list},
    "weights": {**_HEAD, "weights": list, "noise": list},
    "model": {**_HEAD, "model": str, "counted": str, "classes": list, "values": dict, "nodes": list},
}
_COLUMN: Mapping[str, type] = {"name": str, "role": str, "kind": str}
_NOISE: Mapping[str, type] = {
    "mechanism": str,
    "sensitivity": float,
    "scale": float,
    "picks": int,
    "delta": float,
    "neighbours": str,
}
NODES = (  # fields of a leaf, of a split on a number, of a split on a category
    {"class", "at_least", "counts"},
    {"column", "cut", "below", "not_below"},
    {"column", "level", "branches", "missing", "otherwise"},
)
_ROLES, _KINDS = ("target", "quasi", "sensitive", "other"), (*KINDS, "item")


def _has(value: Any, keys: Mapping[str, type]) -> bool:
    """Whether the value is an object with exactly these keys and types; an int is accepted as a float."""
    return (
        isinstance(value, dict)
        and set(value) == set(keys)
        and all(type(value[key]) in ((int, float) if kind is float else (kind,)) for key, kind in keys.items())
    )


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_of_shape(content: Any, shape: str) -> bool:
    """Whether the content has exactly the fields of the shape; nodes of a tree are checked by published_tree.py."""
    if not _has(content, _KEYS[shape]) or (content["format"], content["shape"]) != (FORMAT, shape):
        return False
    columns = content["columns"]
    if not all(_has(c, _COLUMN) and c["role"] in _ROLES and c["kind"] in _KINDS for c in columns):
        return False
    names = [column["name"] for column in columns]
    if len(set(names)) < len(names) or not all(_has(use, _NOISE) for use in content.get("noise", ())):
        return False
    if shape == "names":
        return content["names"] == names
    if shape == "weights":
        weights = content["weights"]
        return len(weights) == len(names) and all(type(w) in (int, float) and math.isfinite(w) for w in weights)
    values = content["values"].values()
    return (
        (content["model"], content["counted"] in ("rows", "persons")) == ("decision tree", True)
        and all(type(label) in (str, int, float) for label in content["classes"])
        and all(isinstance(labels, dict) and all(map(_texts, labels.values())) for labels in values)
        and all(isinstance(node, dict) and set(node) in NODES for node in content["nodes"])
    )


# -- a document ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Document(Content):
    """The published `content`, and the owner's rows behind it, with their persons if persons are counted.

    >>> d = Document.of("names", [("age", "quasi", "number")], {"names": ["age"], "noise": []})
    >>> d.columns, d.to_bytes() == Document.from_bytes(d.to_bytes(), "names").to_bytes()
    ((('age', 'quasi', 'number'),), True)
    """

    shape: str
    content: dict[str, Any]
    evidence: Table | None = None
    persons: np.ndarray | None = None

    has_rows = False
    not_recodable = "This method releases a document, not rows, so rows cannot be recoded to it."

    @classmethod
    def of(cls, shape: str, columns: Sequence[tuple[str, str, str]], fields: dict[str, Any]) -> Document:
        """A document from its columns (name, role, kind) and the fields of its shape, as plain JSON."""
        described = [{"name": name, "role": role, "kind": kind} for name, role, kind in columns]
        return cls(shape, {"format": FORMAT, "shape": shape, "columns": described, **fields})

    @property
    def columns(self) -> tuple[tuple[str, str, str], ...]:
        return tuple((column["name"], column["role"], column["kind"]) for column in self.content["columns"])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _, _ in self.columns)

    def with_evidence(self, evidence: Table | None, persons: np.ndarray | None = None) -> Document:
        return replace(self, evidence=evidence, persons=persons)

    def to_bytes(self) -> bytes:
        return (json.dumps(self.content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()

    @classmethod
    def from_bytes(cls, content_bytes: bytes, shape: str) -> Document:
        """Parse a document; DataError unless the bytes are exactly what discreet writes for the shape."""
        content, failure = quietly(read_json, content_bytes, errors=(ValueError,))
        if failure or not _is_of_shape(content, shape):
            raise DataError(
                f"The document does not have exactly the fields of the shape {shape!r}"
                f"{f' ({failure})' if failure else ''}."
            )
        document = cls(shape, content)
        try:
            again = document.to_bytes()
        except ValueError:  # such as a lone surrogate or an infinite number
            raise DataError("The document holds values that cannot be written.") from None
        if again != content_bytes:  # such as a duplicate key, another spelling of a number, an extra space
            raise DataError("The document is not written as discreet writes it: it was edited.")
        return document

    # -- published -------------------------------------------------------------------------------------------------

    @property
    def shape_name(self) -> str:
        return self.shape

    @property
    def data(self) -> dict[str, Any]:
        return self.content

    @property
    def n_rows(self) -> int:
        return 0

    @property
    def stated_noise(self) -> Any:
        return self.content.get("noise")

    def equals(self, other: Content) -> bool:
        return isinstance(other, Document) and self.content == other.content

    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        return tuple(PublishedColumn(*column) for column in self.columns)

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        return super().fits(columns) and {column.kind for column in columns} <= set(_KINDS)

    @classmethod
    def file_names(cls, shape: str) -> tuple[str, ...]:
        return (f"{shape}.json",)

    def write(self, target: File, format: str = "json") -> None:
        if isinstance(target, Path):
            target.write_bytes(self.to_bytes())
        else:
            target.write(self.to_bytes())

    @classmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> Document:
        with open_file(source) as (file, name):
            if name not in cls.file_names(shape):
                raise DataError(
                    f"A release of the shape {shape!r} has the data file {shape}.json; the certificate names another."
                )
            return cls.from_bytes(read_most(file, MOST_STATED), shape)
