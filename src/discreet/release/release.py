# SPDX-License-Identifier: Apache-2.0
"""A release: the published data with its certificate, and the files that only the owner keeps.

`save` writes into a temporary folder beside the target, reads the files back, verifies the promise on them, and only
then renames the folder into place: the result is a complete, verified release or nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from discreet.counting.row_counts import row_counts
from discreet.data.as_it_came import as_it_came
from discreet.data.baskets import Baskets
from discreet.data.content import Content
from discreet.data.dataset import rows_with_items
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, PromiseBroken
from discreet.foundation.atomic_files import new_folder
from discreet.foundation.displayed import Displayed, later
from discreet.foundation.frame_output import Framed
from discreet.foundation.system import give_back_memory
from discreet.privacy.noise import Noise, statement
from discreet.privacy.promise import Promise, Verdict
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import Boxes, EachColumn, recoded_rows
from discreet.recoding.plan import Plan
from discreet.recoding.record import RECORD, published
from discreet.release.certificate import (
    CERTIFICATE,
    Certificate,
    ChangesRecord,
    ColumnRecord,
    CopyRecord,
    DetailRecord,
    GroupsRecord,
    MethodRecord,
    VerdictRecord,
    file_record,
)
from discreet.release.copies import asked_copies, check_copied, copy_bytes, with_libraries
from discreet.release.data_subjects import DataSubjects
from discreet.release.information_kept import ITEMS, NOTHING, Detail, of_changes
from discreet.release.ledger import Account
from discreet.release.losses import ColumnChange, Losses, losses_of
from discreet.release.owner_files import OwnerFiles
from discreet.release.signature import SIGNATURE, sign
from discreet.release.verify import verify_written
from discreet.sketching.sketches import Sketches

_C = TypeVar("_C", bound=Content)
_FOLDERS = frozenset({"release", "owner"})


@dataclass(frozen=True)
class Changes:
    """Counts of changes: quasi-identifier cells in total, suppressed, changed and swapped (they hold another row's
    value); rows and columns dropped.
    """

    quasi_cells: int
    suppressed_cells: int = 0
    changed_cells: int = 0
    swapped_cells: int = 0
    rows_dropped: int = 0
    columns_dropped: int = 0


@dataclass(frozen=True, eq=False)
class Release(Displayed, Framed):
    """A release in memory: `content` is published, `owner` stays with the owner.

    promise, method, parameters, changes, noise   stated in the certificate; `noise` if it was used to draw rows
    roles                                         of the published columns, if the content is a table
    plan, source_quasi, items, features, groups   how source columns became published ones, for new rows and reports
    penalty, column_changes, item_detail          losses that cannot be read off the plan (see losses.py)
    """

    content: Content
    promise: Promise
    method: str
    parameters: dict[str, Any]
    changes: Changes
    owner: OwnerFiles = field(default_factory=OwnerFiles)
    noise: tuple[Noise, ...] = ()
    roles: Roles | None = None
    plan: Plan | None = None
    source_quasi: tuple[str, ...] = ()
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by quasi-identifier encoded as items
    features: tuple[int, ...] = ()
    groups: GroupedItems | None = None  # the published items with their members, where items were grouped
    penalty: float | None = None
    column_changes: tuple[ColumnChange, ...] = ()
    item_detail: Detail | None = None
    written: Mapping[str, str] = field(default_factory=dict)  # notations of source columns whose texts are not plain

    def __repr__(self) -> str:
        shape = "" if self.content.has_rows else f"{self.shape}, "
        size = f"{shape}{self.rows} rows, {len(self.columns)} columns"
        return f"Release({self.promise}, by {self.method}, {size}, holds={self.verdict.holds})"

    # -- what is published -----------------------------------------------------------------------------------------

    @property
    def shape(self) -> str:
        """The shape of the content: "table", "baskets", "sketches", "model", "names" or "weights"."""
        return self.content.shape_name

    @property
    def rows(self) -> int:
        """The number of published rows; a document has none."""
        return self.content.n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        return self.content.names

    @cached_property
    def data(self) -> Any:
        """The published data: a table as the kind of frame that was passed in, baskets as a scipy CSR array (labels in
        `labels`), a document as a dictionary, sketches unchanged.
        """
        return self.content.data

    @property
    def labels(self) -> np.ndarray | None:
        """The labels of released baskets or sketches."""
        return self.content.label_values

    @property
    def table(self) -> Table:
        return self._content_as(Table)

    @property
    def baskets(self) -> Baskets:
        return self._content_as(Baskets)

    @property
    def sketches(self) -> Sketches:
        return self._content_as(Sketches)

    @property
    def document(self) -> Document:
        return self._content_as(Document)

    def _content_as(self, kind: type[_C]) -> _C:
        if not isinstance(self.content, kind):
            raise DataError(f"This release has the shape {self.shape!r} and holds no {kind.__name__}. See `shape`.")
        return self.content

    # -- what is stated about it -----------------------------------------------------------------------------------

    @cached_property
    def verdict(self) -> Verdict:
        return self.check(self.promise)

    @cached_property
    def losses(self) -> Losses:
        """Information loss, and what the equivalence classes reveal."""
        if not self.content.has_cells:
            raise DataError(f"A release of {self.shape} has no cells, so its losses cannot be counted in cells.")
        n_quasi = len(self.source_quasi) or len(self.features) + self.changes.columns_dropped
        return losses_of(self.content, self.roles, n_quasi, self.changes, self.penalty)

    @property
    def detail(self) -> Detail | None:
        """What can still be read of each quasi-identifier (see information_kept.py); of what has no cells, nothing.

        None for synthetic rows, which are nobody's: evaluate/detail.py compares them with the source.
        """
        if not self.content.has_cells:
            return NOTHING
        if self.item_detail is not None:
            return self.item_detail
        return of_changes(self.column_changes) if self.column_changes else None

    @property
    def _stated_detail(self) -> DetailRecord | None:
        """The detail as the certificate states it; a figure of private rows must not be beside a release with noise."""
        if self.noise or not self.content.has_cells or self.detail is None:
            return None
        published = {change.name for change in self.column_changes if change.published}
        return DetailRecord.of(self.detail, published or {ITEMS})

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate published with the data; `save` adds the file hashes and the seal."""
        changes = vars(self.changes)
        return Certificate(
            shape=self.shape,  # type: ignore[arg-type]
            promise=self.promise.to_dict(),
            counted="rows" if self.owner.persons is None else "persons",
            verdict=VerdictRecord.of(self.verdict),
            method=MethodRecord(name=self.method, parameters=self.parameters),
            columns=tuple(ColumnRecord(**one._asdict()) for one in self.content.published_columns(self.roles)),
            rows=self.rows,
            changes=ChangesRecord(**{name: changes[name] for name in ChangesRecord.model_fields}),
            groups=GroupsRecord(**vars(self.losses.groups)) if self.content.has_cells else None,
            noise=statement(self.noise) if self.noise else None,
            detail=self._stated_detail,
            does_not_protect=self.promise.does_not_protect,
        )

    def check(self, promise: Promise) -> Verdict:
        """Check any promise on this release, counting persons if the release does."""
        owner = self.owner
        return promise.check_content(
            self.content, self.roles, persons=owner.persons, source=owner.evidence, noise=self.noise
        )

    # -- for people ------------------------------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """The published rows as an Arrow table; baskets with a 0/1 column for each item, beside their label."""
        return self.content.to_arrow()

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        public: bool = False,
        data: object = None,
        roles: Roles | None = None,
        name: str = "table",
    ) -> Any:
        """The owner's report, as `discreet release` writes it, or the public one; `path` saves it.

        It shows itself in a notebook. The owner's holds private figures and is not for publication. It compares with
        the table that was released, which the release remembers; pass `data` and `roles` if it no longer does. `name`
        is what the report calls the table.
        """
        page = later("report.pages:page_of_release")(self, public=public, data=data, roles=roles, name=name)
        if path is not None:
            page.save(path)
        return page

    def plot(self, what: str = "columns") -> Any:
        """A chart: what can still be read of each quasi-identifier ("columns"), or how large the groups are ("groups").

        It shows itself in a notebook; `save` writes it as .svg, .png or .json.
        """
        return later("report.pages:chart_of_release")(self, what)

    # -- new rows --------------------------------------------------------------------------------------------------

    def recode(self, rows: Any) -> Any:
        """Recode new rows to the form of the release: its columns, in the order of the rows.

        The result is the kind of frame that `rows` are, pandas with its index, and a `Table` for files, mappings and
        tables; where items were grouped, baskets, from baskets or transactions.

        The published recoding record is used if there is one, so that recipients get the same from the published folder
        (discreet.recode); otherwise the owner's plan. The promise covers the released rows only. Some of these may get
        other labels again than they were published with: those with a value that too few persons have to be named, and
        rows that `KActus2` gave away to fill up groups.
        """
        if self.groups is not None:
            return self.groups.apply(rows_with_items(rows))
        if self.content.not_recodable:
            raise DataError(self.content.not_recodable)
        assert self.roles is not None
        if self.plan is None:
            raise DataError(
                f"The method {self.method!r} changes whole clusters of rows; a new row belongs to no cluster and cannot"
                " be recoded. Release it together with the others, or use a method that recodes single rows."
            )
        recoded = recoded_rows(self._public_plan or self.plan, rows, self.columns, written=self.written)
        if self._public_plan is not None and self.plan.recodes_all:
            own = recoded_rows(self.plan, rows, self.columns, written=self.written)
            recoded = own.with_columns([column for column in recoded.columns() if column.name in self.roles.quasi])
        return as_it_came(recoded, rows)

    @cached_property
    def _public_plan(self) -> EachColumn | Boxes | None:
        """The plan that recipients get, if any."""
        public = None if self.plan is None else self.plan.public
        if public is None or self.roles is None:
            return None
        noted = tuple(replace(one, written=self.written.get(one.source, "")) for one in public.columns)
        return replace(public, columns=noted).within(row_counts(self.content, self.roles).distinct(self._quasi))

    @property
    def _quasi(self) -> list[str]:
        """The published quasi-identifiers in the order of the columns."""
        assert self.roles is not None
        return [name for name in self.columns if name in self.roles.quasi]

    @cached_property
    def record(self) -> bytes | None:
        """The published recoding record, with which recipients recode rows of their own; see record.py.

        None for methods that do not recode rows, and for releases with over 50,000 patterns or 100,000 labels.
        """
        if self.groups is not None:
            return self.groups.record
        return None if self._public_plan is None else published(self._public_plan)

    # -- files -----------------------------------------------------------------------------------------------------

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: str | Sequence[str] | None = None,
        numbers: str | None = None,
        sign_with: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        owner_files: Mapping[str, bytes] | None = None,
        account: Account | None = None,
    ) -> Path:
        """Write `folder/release` (publish this) and `folder/owner` (keep this), verified, or nothing at all.

        `format` is "csv", the default, or "parquet"; a table in parts is saved as Parquet, part by part. Further
        formats, as in format=["csv", "xlsx", "csv-de"], are written as copies: "xlsx", "sav" (SPSS), "dta" (Stata) and
        CSV for the Excel of a country. `numbers`, "low-high" or "midpoint", adds columns of numbers beside labels of
        intervals to the copies, or to one in CSV if there is no other.
        `owner_files` are further files for the owner's folder, such as a report. `account` pays for the release once
        the files are verified and before they appear; leave it out if `Method.release` was called with it.
        """
        main, copies = asked_copies([format] if isinstance(format, str) else format or (), numbers)
        main = main or ("parquet" if self.content.is_stored else "csv")
        if self.content.is_stored and main != "parquet":
            raise DataError("A release in parts is saved as Parquet: leave out the format.")
        check_copied(self.content, copies)
        if not self.verdict.holds:
            raise PromiseBroken(f"{self.verdict.sentence()} Nothing was written.")
        if account is not None:
            account.warn(self.promise, self.owner.people)
        with ExitStack() as stack, new_folder(Path(folder), overwrite=overwrite, replaceable=_FOLDERS) as partial:
            self._write_release(partial / "release", main, copies, sign_with)
            self.owner.write(partial / "owner", vars(self.changes), owner_files or {})
            give_back_memory(self.rows)
            verification = verify_written(partial / "release", owner=partial / "owner", content=self.content)
            if not verification.holds:
                problems = " ".join(verification.problems)
                raise PromiseBroken(f"The written files could not be verified: {problems} Nothing was saved.")
            if account is not None:
                stack.enter_context(self.paid_from(account))  # the entry stays open until the folder is in place
                self.owner.write_receipts(partial / "owner")
        return Path(folder)

    @contextmanager
    def published_files(self) -> Iterator[Path]:
        """What `save` would publish, and nothing of the owner's, in a folder that is gone after the block."""
        with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
            published = Path(folder) / "release"
            self._write_release(published, "parquet" if self.content.is_stored else "csv", {}, None)
            yield published

    @contextmanager
    def paid_from(self, account: Account) -> Iterator[int]:
        """Spend the cost of the release, or record it if no epsilon applies, before the block shows it to anyone."""
        what = f"{self.method}, {self.shape}, {self.promise}"
        noise, people = self.noise or self.content, self.owner.people
        with account.paying(self.promise, noise, what=what, columns=self.columns, people=people) as number:
            self.owner.receipts.append(account.ledger.receipt(number))
            yield number

    def about(self, people: DataSubjects) -> Release:
        """Attach the data subjects and return the same release, cached results included."""
        self.owner.people = people
        return self

    def _write_release(
        self,
        folder: Path,
        format: str,
        copies: Mapping[str, CopyRecord],
        sign_with: str | os.PathLike[str] | None,
    ) -> None:
        folder.mkdir()
        self.content.write(folder / self.content.file_name(format), format)
        for name, copy in copies.items():
            (folder / name).write_bytes(copy_bytes(self.content, copy))
        if self.record is not None:
            (folder / RECORD).write_bytes(self.record)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        records = {path.relative_to(folder).as_posix(): file_record(path) for path in paths}
        stated = self.certificate.model_copy(update={"copies": with_libraries(copies)})
        statement = stated.sealed(records).to_bytes()
        (folder / CERTIFICATE).write_bytes(statement)
        if sign_with is not None:
            (folder / SIGNATURE).write_bytes(sign(statement, Path(sign_with)))
