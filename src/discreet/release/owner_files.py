# SPDX-License-Identifier: Apache-2.0
"""What only the owner of a release keeps: whose rows they are, what they were made from, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.records import Records
from discreet.data.stored_table import place_files
from discreet.data.table import Table
from discreet.foundation import system
from discreet.foundation.lazy_modules import parquet as pq
from discreet.release.counted_source import CountedSource
from discreet.release.data_subjects import DataSubjects
from discreet.release.owner_evidence import EVIDENCE, PERSON_PARTS, PERSONS
from discreet.sketching.signs import KEY_FILE, Signs, write_key

RECEIPT = "ledger.json"


@dataclass(eq=False)
class OwnerFiles:
    """The owner's side of a release.

    persons   the person behind each published row, if persons are counted; for a stored table the files with them
    evidence  what the promise compares the release with: the original quasi-identifiers, row by row; the rows behind
              a document; the records behind sketches
    signs     the key of the sketches
    trace     the steps of the method
    notes     remarks for the owner
    seed      of the method's randomness, if one was set
    people    the data subjects, for the ledger
    source    what was counted of the source, if its rows stay in an engine
    receipts  from the ledger that paid for the release
    """

    persons: Any = None  # an array, or paths
    evidence: Table | Records | None = None
    signs: Signs | None = None
    trace: Sequence[dict[str, Any]] = ()
    notes: Sequence[str] = ()
    seed: int | None = None
    people: DataSubjects | None = None
    source: CountedSource | None = None
    receipts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def records(self) -> Records | None:
        """The records behind sketches, in their order; None for other releases."""
        return self.evidence if isinstance(self.evidence, Records) else None

    def write(self, folder: Path, changes: Mapping[str, int], files: Mapping[str, bytes]) -> None:
        """Write the owner's folder, readable by its owner alone; `files` are further files, by name."""
        folder.mkdir(mode=0o700)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        record = {"seed": self.seed, "notes": list(self.notes), "trace": list(self.trace), "changes": changes}
        (folder / "trace.json").write_text(json.dumps(record, indent=1, default=str), encoding="utf-8", newline="\n")
        if isinstance(self.persons, np.ndarray):
            persons = pa.table({"person": self.persons})
            pq.write_table(persons, folder / PERSONS, compression="none", store_schema=False)
        elif self.persons is not None:
            place_files(self.persons, folder / PERSON_PARTS, mode=0o600)
        if self.evidence is not None:
            self.evidence.write(folder / EVIDENCE)
        if self.signs is not None and self.records is not None:
            write_key(self.signs, self.records.names, folder / KEY_FILE)
        if self.receipts:
            self.write_receipts(folder)
        for path in folder.iterdir():
            system.set_mode(path, 0o700 if path.is_dir() else 0o600)

    def write_receipts(self, folder: Path) -> None:
        """Write where the ledger recorded the release, so that a lost or changed ledger line can be noticed later."""
        (folder / RECEIPT).touch(mode=0o600)
        content = json.dumps({"format": 1, "receipts": self.receipts}, indent=1)
        (folder / RECEIPT).write_text(content, encoding="utf-8", newline="\n")
