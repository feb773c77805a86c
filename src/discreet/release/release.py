# SPDX-License-Identifier: Apache-2.0
"""What goes out: the data, its certificate, and apart from them what the owner keeps.

`save` writes into a temporary folder beside the target, reads the files back, verifies the promise on them, and only
then renames the folder into place: there is a whole, verified release or none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.baskets import Baskets
from discreet.data.document import Document
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.storage import FORMATS, LABEL, write_baskets, write_table
from discreet.data.table import Table
from discreet.errors import DataError, PromiseBroken
from discreet.foundation.atomic_files import new_folder
from discreet.privacy.noise import Noise, statement
from discreet.privacy.promise import Promise, Verdict
from discreet.recoding.patterns import Boxes, EachColumn, recoded_rows
from discreet.recoding.plan import Plan
from discreet.recoding.record import RECORD, published
from discreet.release.certificate import (
    CERTIFICATE,
    Certificate,
    ChangesRecord,
    ColumnRecord,
    GroupsRecord,
    MethodRecord,
    VerdictRecord,
    file_record,
)
from discreet.release.ledger import Account
from discreet.release.ledger_likeness import People
from discreet.release.losses import ColumnChange, Losses, losses_of
from discreet.release.signature import SIGNATURE, sign
from discreet.release.verify import EVIDENCE, PERSONS, check_published, read_release, verify
from discreet.sketching.signs import KEY_FILE, Signs, write_key
from discreet.sketching.sketches import SKETCH, Sketches

RECEIPT = "ledger.json"  # in the owner's folder
_FOLDERS = frozenset({"release", "owner"})


@dataclass(frozen=True)
class Changes:
    """How much was changed: cells of quasi-identifiers in all, suppressed, written differently, swapped (they hold the
    value of another row); rows and columns dropped.
    """

    quasi_cells: int
    suppressed_cells: int = 0
    changed_cells: int = 0
    swapped_cells: int = 0
    rows_dropped: int = 0
    columns_dropped: int = 0


@dataclass(frozen=True, eq=False)
class Release:
    """A release in memory. `data` is what is published; `trace`, `notes`, `seed`, `persons`, `source`, `records` and
    `signs` are the owner's.
    """

    promise: Promise
    method: str
    parameters: dict[str, Any]
    changes: Changes
    roles: Roles | None = None
    table: Table | None = None
    baskets: Baskets | None = None
    document: Document | None = None
    sketches: Sketches | None = None
    records: Records | None = None  # what the sketches were made of, in their order
    signs: Signs | None = None  # that they were made with
    persons: np.ndarray | None = None
    source: Table | None = None  # the quasi-identifiers as they were, row by row, where the promise compares with them
    plan: Plan | None = None
    source_quasi: tuple[str, ...] = ()
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of each quasi-identifier that became items
    features: tuple[int, ...] = ()
    penalty: float | None = None  # certainty penalty, see losses.py
    column_changes: tuple[ColumnChange, ...] = ()  # where the plan does not tell what became of the columns
    trace: Sequence[dict[str, Any]] = field(default_factory=list)
    notes: Sequence[str] = field(default_factory=list)
    seed: int | None = None
    noise: tuple[Noise, ...] = ()  # behind published rows, where the promise is about how they were drawn
    people: People | None = None  # whom it is about, for the owner's ledger
    receipts: list[dict[str, Any]] = field(default_factory=list)  # of the ledger that paid for it

    def __repr__(self) -> str:
        what = "" if self.document is None else f"{self.document.shape}, "
        size = f"{what}{self.rows} rows, {len(self.columns)} columns"
        return f"Release({self.promise}, by {self.method}, {size}, holds={self.verdict.holds})"

    @property
    def content(self) -> Table | Baskets | Document | Sketches:
        """What is published, whichever of the four shapes it has."""
        parts = (self.table, self.baskets, self.document, self.sketches)
        return next(part for part in parts if part is not None)

    @property
    def rows(self) -> int:
        """How many rows are published; a document has none."""
        return 0 if isinstance(self.content, Document) else len(self.content)

    @property
    def shape(self) -> str:
        if self.document is not None:
            return self.document.shape
        if self.sketches is not None:
            return "sketches"
        return "table" if self.baskets is None else "baskets"

    @cached_property
    def data(self) -> Any:
        """What is published: the kind of frame that came in; baskets as a scipy CSR array (labels in `labels`); what a
        document says, as a dictionary; sketches as they are.
        """
        if self.document is not None:
            return self.document.content
        if self.sketches is not None:
            return self.sketches
        return self.baskets.matrix if self.baskets is not None else self.table.to_frame()  # type: ignore[union-attr]

    @property
    def labels(self) -> np.ndarray | None:
        """The labels of released baskets or sketches."""
        labelled = self.baskets if self.sketches is None else self.sketches
        if labelled is None or labelled.labels is None:
            return None
        return labelled.classes[labelled.labels]  # type: ignore[index]

    @property
    def columns(self) -> tuple[str, ...]:
        if isinstance(self.content, Document):
            return tuple(name for name, _, _ in self.content.columns)
        if isinstance(self.content, Sketches):
            return self.content.columns
        return self.content.names

    @cached_property
    def verdict(self) -> Verdict:
        return self.check(self.promise)

    @cached_property
    def losses(self) -> Losses:
        """What the release costs, and what its groups tell."""
        if isinstance(self.content, Document):
            raise DataError("A document publishes no rows: what it costs is not counted in cells.")
        if isinstance(self.content, Sketches):
            raise DataError("Sketches have no cells of the records: what they cost is not counted in cells.")
        n_quasi = len(self.source_quasi) if self.baskets is None else len(self.features) + self.changes.columns_dropped
        return losses_of(self.content, self.roles, n_quasi, self.changes, self.penalty)

    @cached_property
    def certificate(self) -> Certificate:
        """The statement that is published with the data; `save` adds the hashes of the files and the seal."""
        changes = self.changes
        return Certificate(
            shape=self.shape,  # type: ignore[arg-type]
            promise=self.promise.to_dict(),
            counted="rows" if self.persons is None else "persons",
            verdict=VerdictRecord.of(self.verdict).model_copy(update={"kind": self._kind}),
            method=MethodRecord(name=self.method, parameters=self.parameters),
            columns=self._column_records(),
            rows=self.rows,
            changes=ChangesRecord(
                quasi_cells=changes.quasi_cells,
                suppressed_cells=changes.suppressed_cells,
                changed_cells=changes.changed_cells,
                swapped_cells=changes.swapped_cells,
                rows_dropped=changes.rows_dropped,
            ),
            groups=GroupsRecord(**vars(self.losses.groups)) if self.shape in ("table", "baskets") else None,
            noise=statement(self.noise) if self.noise else None,
            does_not_protect=self.promise.does_not_protect,
        )

    @property
    def _kind(self) -> str:
        return "owner" if self.persons is not None else self.verdict.kind

    def check(self, promise: Promise) -> Verdict:
        """Another promise, measured on this release; counted in persons where the release is."""
        source = self.source if self.records is None else self.records
        return check_published(promise, self.content, self.roles, self.persons, source, self.noise)

    def recode(self, rows: object) -> Table:
        """New rows as the release writes them: the same columns, in the rows' order, as a recipient would write them.

        Where there is a record for recipients, it decides (discreet.recode does the same from the published folder);
        else the owner's plan. The promise covers the released rows only.
        """
        if self.document is not None:
            raise DataError(
                f"The method {self.method!r} releases a document, not rows: there is no form to bring rows to."
            )
        if self.sketches is not None:
            raise DataError("New records are sketched with the owner's key: discreet.sketching.sketches.sketch.")
        if self.roles is None:
            raise DataError("Only releases of tables recode rows; of baskets, keep the released columns.")
        if self.plan is None:
            raise DataError(
                f"The method {self.method!r} changes rows together, cluster by cluster; a new row is in no cluster and"
                " cannot be recoded. Release it together with the others, or use a method that recodes rows."
            )
        written = recoded_rows(self._public_plan or self.plan, rows, self.columns)
        if self._public_plan is None or not self.plan.recodes_all:
            return written
        own = recoded_rows(self.plan, rows, self.columns)
        return own.with_columns([column for column in written.columns() if column.name in self.roles.quasi])

    @cached_property
    def _public_plan(self) -> EachColumn | Boxes | None:
        """The plan as recipients have it; None where there is none for them."""
        public = None if self.plan is None or self.table is None else self.plan.public
        return None if public is None else public.within(self.table)  # type: ignore[arg-type]

    @cached_property
    def record(self) -> bytes | None:
        """What is published about the recoding, so that a recipient can bring rows to the same form; see record.py.

        None for methods that do not recode rows, and for releases of more than 50,000 patterns or 100,000 labels.
        """
        return None if self._public_plan is None else published(self._public_plan)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: str = "csv",
        sign_with: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        owner_files: Mapping[str, bytes] | None = None,
        account: Account | None = None,
    ) -> Path:
        """Write `folder/release` (publish this) and `folder/owner` (keep this), verified, or nothing at all.

        `owner_files` are further files for the owner's folder, such as a report. `account` pays for the release, unless
        `Method.release` was given it: once the files are verified, and before they appear.
        """
        if format not in FORMATS:
            raise DataError(f"{format!r} is not a format of a release; they are {' and '.join(FORMATS)}.")
        if not self.verdict.holds:
            raise PromiseBroken(f"{self.verdict.sentence()} Nothing was written.")
        if account is not None:
            account.warn(self.promise, self.people)
        with ExitStack() as seen, new_folder(Path(folder), overwrite=overwrite, replaceable=_FOLDERS) as partial:
            self._write_release(partial / "release", format, sign_with)
            self._write_owner(partial / "owner", owner_files or {})
            found = verify(partial / "release", owner=partial / "owner", patient=True)
            if not found.holds:
                raise PromiseBroken(f"The written files do not verify: {' '.join(found.problems)} Nothing was saved.")
            written, _ = read_release(partial / "release", found.certificate)  # type: ignore[arg-type]
            if not _same(written, self.content):
                raise PromiseBroken("The written files do not hold what was released. Nothing was saved.")
            if account is not None:
                seen.enter_context(self.paid_from(account))  # its entry is open until the folder is in place
                self._write_receipt(partial / "owner")
        return Path(folder)

    @contextmanager
    def paid_from(self, account: Account) -> Iterator[int]:
        """Spends what the release costs, or writes it down where no epsilon counts it; then the block may show it."""
        said: dict[str, Any] = {"what": f"{self.method}, {self.shape}, {self.promise}", "columns": self.columns}
        with account.paying(self.promise, self.document or self.noise, **said, people=self.people) as number:
            self.receipts.append(account.ledger.receipt(number))
            yield number

    def about(self, people: People) -> Release:
        """This release, with whom it is about; nothing that was computed of it is lost."""
        object.__setattr__(self, "people", people)
        return self

    def _write_release(self, folder: Path, format: str, sign_with: str | os.PathLike[str] | None) -> None:
        folder.mkdir()
        if self.document is not None:
            data = folder / self.document.file
            data.write_bytes(self.document.to_bytes())
        elif self.baskets is not None:
            data = folder / "data.parquet"
            write_baskets(self.baskets, data)
        elif self.sketches is not None:
            data = folder / "data.parquet"
            self.sketches.write(data)
        else:
            data = folder / f"data.{format}"
            write_table(self.table, data, format)  # type: ignore[arg-type]
        if self.record is not None:
            (folder / RECORD).write_bytes(self.record)
        statement = self.certificate.sealed({path.name: file_record(path) for path in folder.iterdir()}).to_bytes()
        (folder / CERTIFICATE).write_bytes(statement)
        if sign_with is not None:
            (folder / SIGNATURE).write_bytes(sign(statement, Path(sign_with)))

    def _write_owner(self, folder: Path, files: Mapping[str, bytes]) -> None:
        folder.mkdir(mode=0o700)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        record = {
            "seed": self.seed,
            "notes": list(self.notes),
            "trace": list(self.trace),
            "changes": vars(self.changes),
        }
        (folder / "trace.json").write_text(json.dumps(record, indent=1, default=str), encoding="utf-8")
        if self.persons is not None:
            persons = pa.table({"person": self.persons})
            pq.write_table(persons, folder / PERSONS, compression="none", store_schema=False)
        if self.document is not None and self.document.evidence is not None:
            write_table(self.document.evidence, folder / EVIDENCE, "parquet")
        if self.source is not None:
            write_table(self.source, folder / EVIDENCE, "parquet")
        if self.records is not None and self.signs is not None:
            self.records.write(folder / EVIDENCE)
            write_key(self.signs, self.records.names, folder / KEY_FILE)
        if self.receipts:
            self._write_receipt(folder)
        for path in folder.iterdir():
            path.chmod(0o600)

    def _write_receipt(self, folder: Path) -> None:
        """Where the ledger wrote the release down, so that the owner can tell later whether that is still there."""
        (folder / RECEIPT).touch(mode=0o600)
        (folder / RECEIPT).write_text(json.dumps({"format": 1, "receipts": self.receipts}, indent=1), encoding="utf-8")

    def _column_records(self) -> tuple[ColumnRecord, ...]:
        if self.document is not None:
            return tuple(ColumnRecord(name=n, role=r, kind=k) for n, r, k in self.document.columns)  # type: ignore[arg-type]
        if self.sketches is not None:
            sketch = ColumnRecord(name=SKETCH, role="quasi", kind="sketch")
            label = ColumnRecord(name=LABEL, role="target", kind="category")
            return (sketch,) if self.sketches.labels is None else (label, sketch)
        if self.baskets is not None:
            items = [ColumnRecord(name=name, role="quasi", kind="item") for name in self.baskets.names]
            return (ColumnRecord(name=LABEL, role="target", kind="category"), *items)
        assert self.roles is not None
        assert self.table is not None
        role: dict[str | None, Any] = {self.roles.target: "target"}
        for name in ("other", "sensitive", "quasi"):
            role = {**dict.fromkeys(getattr(self.roles, name), name), **role}
        both = {self.roles.target}.intersection(self.roles.sensitive)
        return tuple(
            ColumnRecord(name=c.name, role=role[c.name], kind=c.kind, sensitive=c.name in both)
            for c in self.table.columns()
        )


def _same(written: object, released: object) -> bool:
    """Whether what was read back is what was to be written, cell by cell."""
    if isinstance(written, Sketches) and isinstance(released, Sketches):
        return written.says_what(released)
    if isinstance(written, Document) and isinstance(released, Document):
        return written.content == released.content
    if isinstance(written, Baskets) and isinstance(released, Baskets):
        labels = [[str(b.classes[code]) for code in b.labels] for b in (written, released)]  # type: ignore[index, union-attr]
        return labels[0] == labels[1] and (written.matrix != released.matrix).nnz == 0
    assert isinstance(written, Table)
    assert isinstance(released, Table)
    return all(
        mine.texts == theirs.texts and np.array_equal(mine.codes, theirs.codes)
        for mine, theirs in zip(written.columns(), released.columns(), strict=True)
    )
