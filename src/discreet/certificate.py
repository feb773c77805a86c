# SPDX-License-Identifier: Apache-2.0
"""The published statement beside the data: what is promised, what was measured, by which method, on which files.

It holds no path, no time, no seed, and nothing about the private data that the promise does not cover; of cell values
only those that name a published column, as items do.
The seal is a hash of the statement itself: it shows an accident or a careless edit, not a forger. A signature
(signature.py) shows those too.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer

from discreet._version import __version__
from discreet.errors import DataError
from discreet.privacy.base import Promise, Verdict, promise_from

CERTIFICATE = "certificate.json"
FORMAT = 1  # of this file; the model below accepts no other

EVIDENCE = {  # the kinds of a verdict, in words
    "recomputed": "Anyone can repeat this check from the published files alone.",
    "proved": "This rests on a proof about the mechanism; the published files show its parameters and hashes.",
    "owner": "This was checked against data that only the owner has; the owner can repeat it.",
}


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ColumnRecord(_Record):
    """A published column. `sensitive` is stated only of a target that is what attackers are after, too."""

    name: str
    role: Literal["target", "quasi", "sensitive", "other"]
    kind: Literal["number", "category", "date", "item", "sketch"]
    sensitive: bool = False

    @model_serializer(mode="wrap")
    def _stated(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in whole(self).items() if name != "sensitive" or value}


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
    """Groups of equal quasi-identifiers: how many, those of one class, the fewest different values of a column."""

    groups: int
    pure_groups: int
    pure_rows: int
    diversity: dict[str, int]


class Certificate(_Record):
    """What is published about a release, beside the release."""

    format: Literal[1] = 1
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
    noise: tuple[dict[str, Any], ...] | None = None  # behind rows that were drawn; see privacy/noise.py
    does_not_protect: str
    files: dict[str, str] = {}
    seal: str = ""

    def the_promise(self) -> Promise:
        return promise_from(self.promise)

    def names(self, role: str) -> tuple[str, ...]:
        """The columns of a role; a target may be sensitive, too."""
        both = role == "sensitive"
        return tuple(c.name for c in self.columns if c.role == role or (both and c.role == "target" and c.sensitive))

    def computed_seal(self) -> str:
        stated = {name: value for name, value in self._stated().items() if name != "seal"}
        return hashlib.sha256(json.dumps(stated, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def sealed(self, files: dict[str, str]) -> Certificate:
        whole = self.model_dump(mode="json") | {"files": dict(sorted(files.items()))}
        bare = Certificate.model_validate_json(json.dumps(whole))  # every field is stated from here on
        return bare.model_copy(update={"seal": bare.computed_seal()})

    def _stated(self) -> dict[str, Any]:
        """Only what was said: a certificate from before a field was thought of says nothing about it."""
        return self.model_dump(mode="json", exclude_unset=True)

    def to_bytes(self) -> bytes:
        return (json.dumps(self._stated(), indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def read(cls, folder: Path) -> Certificate:
        path = folder / CERTIFICATE
        try:
            content = path.read_bytes()
            certificate = cls.model_validate_json(content)
        except FileNotFoundError:
            raise DataError(f"There is no {CERTIFICATE} in the folder: nothing here says what is promised.") from None
        except (ValidationError, ValueError, OSError, RecursionError) as error:
            count = f", {error.error_count()} errors" if isinstance(error, ValidationError) else ""
            raise DataError(
                f"{CERTIFICATE} is not a certificate of format {FORMAT} ({type(error).__name__}{count})."
            ) from None
        if content != certificate.to_bytes():  # a key that stands twice, a number as text, a space more
            raise DataError(f"{CERTIFICATE} is not written as discreet writes it: it was edited.")
        return certificate


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
