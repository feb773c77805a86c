# SPDX-License-Identifier: Apache-2.0
"""The certificate published beside the data: what is promised and measured, by which method, on which files.

It holds no path, no time, no seed, and nothing about the private data that the promise does not cover. The only cell
values in it are those that name a published column, as items do.
The seal is a hash of the certificate itself: it reveals accidents and careless edits, not forgery. A signature
(signature.py) reveals forgery too. So does the id, the first digits of the seal, if the holder passed it on through
another channel: no other certificate and no other files have the same id.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, ValidationError, model_serializer

from discreet._version import __version__
from discreet.data.baskets import Baskets
from discreet.data.content import Content, PublishedColumn
from discreet.data.document import SHAPES, Document
from discreet.data.table import Table
from discreet.errors import DataError, quietly
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import MOST_STATED, opened, read_plain
from discreet.privacy.promise import Promise, Verdict, promise_from
from discreet.release.information_kept import Detail
from discreet.sketching.sketches import Sketches

CERTIFICATE = "certificate.json"
FORMAT = 2  # the only one that the model below accepts
ID_DIGITS = 32  # of the seal: 128 bits
_OPTIONAL = frozenset({"detail", "copies"})  # fields that are written only if there is something to state
_MOST_FIGURES = 20_000  # values in any part of the certificate but the columns and files
_MOST_FILES = 400_000  # names, sizes and hashes of files: a table may have many parts
CONTENTS: dict[str, type[Content]] = {  # by shape
    "table": Table,
    "baskets": Baskets,
    "sketches": Sketches,
    **dict.fromkeys(SHAPES, Document),
}

EVIDENCE = {  # explains the kinds of a verdict
    "recomputed": "Anyone can repeat this check from the published files alone.",
    "proved": "This rests on a proof about the mechanism; the published files show its parameters and hashes.",
    "owner": "This was checked against data that only the owner has; the owner can repeat it.",
}


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ColumnRecord(_Record):
    """A published column. `sensitive` is written only for a target that is a sensitive attribute, too."""

    name: str
    role: Literal["target", "quasi", "sensitive", "other"]
    kind: Literal["number", "category", "date", "item", "sketch"]
    sensitive: bool = False

    @model_serializer(mode="wrap")
    def _without_default(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if name != "sensitive" or value}


class VerdictRecord(_Record):
    promise: str
    holds: bool
    required: float
    measured: float
    rows: int
    rows_short: int
    kind: Literal["recomputed", "proved", "owner"]
    with_label: float | None = None
    details: dict[str, float] = {}
    notes: tuple[str, ...] = ()
    parts: tuple[VerdictRecord, ...] = ()

    @classmethod
    def of(cls, verdict: Verdict) -> VerdictRecord:
        values = {name: getattr(verdict, name) for name in cls.model_fields if name != "parts"}
        return cls(**values, parts=tuple(cls.of(part) for part in verdict.parts))

    def verdict(self) -> Verdict:
        values = {name: getattr(self, name) for name in type(self).model_fields if name != "parts"}
        return Verdict(**values, parts=tuple(part.verdict() for part in self.parts))


class MethodRecord(_Record):
    name: str
    parameters: dict[str, Any]


class ChangesRecord(_Record):
    quasi_cells: int
    suppressed_cells: int
    changed_cells: int
    swapped_cells: int = 0
    rows_dropped: int = 0


class GroupsRecord(_Record):
    """Equivalence classes: their number, those with a single class label, and the smallest diversity of columns."""

    groups: int
    pure_groups: int
    pure_rows: int
    diversity: dict[str, int]


class DetailRecord(_Record):
    """What can still be read of each published quasi-identifier, from 0 to 1 in hundredths; see information_kept.py."""

    whole: Annotated[float, Field(ge=0, le=1)]
    columns: dict[str, Annotated[float, Field(ge=0, le=1)]]

    @classmethod
    def of(cls, detail: Detail, names: Collection[str]) -> DetailRecord:
        """Rounded, so that no figure tells a single cell; columns that are not published are not named."""
        columns = {name: round(value, 2) for name, value in detail.columns.items() if name in names}
        return cls(whole=round(detail.whole, 2), columns=columns)


class FileRecord(_Record):
    """Size and hash of a published file."""

    bytes: int
    sha256: str


class CopyRecord(_Record):
    """A published file that holds the data in another format, with numbers beside labels of intervals if asked for.

    `library` wrote it, and decides on its bytes; earlier versions did not state it, and texts have one form.
    """

    format: str
    numbers: Literal["low-high", "midpoint"] | None = None
    library: str | None = Field(default=None, pattern=r"^[A-Za-z0-9 .,+-]{1,80}$")

    @model_serializer(mode="wrap")
    def _without_unstated(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if name != "library" or value}


class Certificate(_Record):
    """The statement about a release that is published with it."""

    format: Literal[2] = 2
    discreet: str = __version__
    shape: Literal["table", "baskets", "sketches", "model", "names", "weights"]
    promise: dict[str, Any]
    counted: Literal["rows", "persons"]
    verdict: VerdictRecord
    method: MethodRecord
    columns: tuple[ColumnRecord, ...]
    rows: int
    changes: ChangesRecord
    groups: GroupsRecord | None = None
    noise: tuple[dict[str, Any], ...] | None = None  # used to draw rows; see privacy/noise.py
    detail: DetailRecord | None = None  # written only if stated: earlier versions did not
    does_not_protect: str
    copies: dict[str, CopyRecord] = {}  # by the names of their files; written only if there are some
    files: dict[str, FileRecord] = {}
    seal: str = ""

    @model_serializer(mode="wrap")
    def _without_unstated(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if name not in _OPTIONAL or value}

    @property
    def content_type(self) -> type[Content]:
        """The type of content that a release of this shape holds."""
        return CONTENTS[self.shape]

    @property
    def published_columns(self) -> tuple[PublishedColumn, ...]:
        return tuple(PublishedColumn(c.name, c.role, c.kind, c.sensitive) for c in self.columns)

    @property
    def kinds(self) -> dict[str, Any]:
        """The kinds of the published columns."""
        return {column.name: column.kind for column in self.columns}

    def the_promise(self) -> Promise:
        return promise_from(self.promise)

    def names(self, role: str) -> tuple[str, ...]:
        """The columns with a role; a target may be sensitive, too."""
        both = role == "sensitive"
        return tuple(c.name for c in self.columns if c.role == role or (both and c.role == "target" and c.sensitive))

    @property
    def id(self) -> str:
        """Identifies the release: derived from everything in the certificate, file hashes included."""
        return self.computed_seal()[:ID_DIGITS]

    def computed_seal(self) -> str:
        fields = self.model_dump(mode="json", exclude={"seal"})
        return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def sealed(self, files: Mapping[str, FileRecord]) -> Certificate:
        bare = self.model_copy(update={"files": dict(sorted(files.items()))})
        bare = Certificate.model_validate_json(bare.to_bytes())  # plain JSON from here on
        return bare.model_copy(update={"seal": bare.computed_seal()})

    def to_bytes(self) -> bytes:
        return (json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()

    @classmethod
    def read(cls, folder: Path) -> Certificate:
        if not os.path.lexists(folder / CERTIFICATE):
            raise DataError(f"The folder has no {CERTIFICATE}: nothing says what is promised.")
        return cls.from_bytes(read_plain(folder / CERTIFICATE, most=MOST_STATED))

    @classmethod
    def from_bytes(cls, content: bytes) -> Certificate:
        """Parse a certificate; DataError unless the bytes are exactly what discreet writes."""
        raw, failure = quietly(read_json, content, errors=(ValueError,))
        if failure or not isinstance(raw, dict):
            raise DataError(f"{CERTIFICATE} is not a certificate of format {FORMAT} ({failure or 'no object'}).")
        if type(raw.get("format")) is int and raw["format"] != FORMAT and 0 <= raw["format"] < 1000:
            raise DataError(
                f"{CERTIFICATE} has the format {raw['format']}; this version of discreet reads format {FORMAT}."
                " Check it with the version that wrote it, or ask the holder to save the release again."
            )
        if not _is_bounded(raw):
            raise DataError(f"{CERTIFICATE} is not a certificate of format {FORMAT} (unexpected fields).")
        try:
            certificate = cls.model_validate(raw)
            expected = certificate.to_bytes()
        except (ValueError, RecursionError) as error:
            count = f", {error.error_count()} errors" if isinstance(error, ValidationError) else ""
            raise DataError(
                f"{CERTIFICATE} is not a certificate of format {FORMAT} ({type(error).__name__}{count})."
            ) from None
        if content != expected:  # such as a duplicate or missing key, a number as text, an extra space
            raise DataError(f"{CERTIFICATE} is not written as discreet writes it: it was edited.")
        return certificate


def _is_bounded(raw: dict[str, Any]) -> bool:
    """Whether the certificate is small enough for its errors to be listed quickly."""
    columns = raw.get("columns")
    if not isinstance(columns, list) or set(raw) | _OPTIONAL != set(Certificate.model_fields):
        return False
    kinds = ({"name", "role", "kind"}, {"name", "role", "kind", "sensitive"})
    if not all(
        isinstance(column, dict) and set(column) in kinds and all(map(_is_scalar, column.values()))
        for column in columns
    ):
        return False
    parts = ("verdict", "method", "changes", "groups", "noise", "detail", "copies")
    return _count(raw.get("files")) <= _MOST_FILES and all(_count(raw.get(name)) <= _MOST_FIGURES for name in parts)


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, bool))


def _count(value: object) -> int:
    """Number of values, without those of parameters, which are checked by verify_parameters.py."""
    if isinstance(value, dict):
        return len(value) + sum(_count(part) for name, part in value.items() if name != "parameters")
    return 1 + (sum(map(_count, value)) if isinstance(value, list) else 0)


def file_record(path: Path) -> FileRecord:
    """Size and hash of a file, as the certificate states them."""
    with opened(path) as file:
        return FileRecord(bytes=os.fstat(file.fileno()).st_size, sha256=sha256_of(file))


def sha256_of(file: BinaryIO) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
