# SPDX-License-Identifier: Apache-2.0
"""What `discreet advise` reads of a file: shape, size and roles. Of a file that outgrows memory, the first rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.given_recipe import Options
from discreet.cli.options import step
from discreet.errors import RolesError, did_you_mean, listing, plain

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.dataset import Dataset
    from discreet.data.roles import Roles
    from discreet.data.table import Table

_COPIES = 3  # of a table, that memory should have room for
_FIRST = 100_000  # rows that are read of a file that outgrows memory


@dataclass(frozen=True)
class AdvisedFile:
    """A file: what it holds, and the roles of its columns, given or suggested.

    first    what has to be done before it can be released
    remarks  about the roles, in lines
    """

    name: str
    stem: str
    shape: str
    rows: int
    width: int
    has_target: bool
    in_words: str
    roles: Roles | None = None
    dataset: Dataset | None = None
    labels: Path | None = None
    target: str | None = None
    large: bool = False
    free_text: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def roles_as_dict(self) -> dict[str, Any] | None:
        return None if self.roles is None else asdict(self.roles)


def read_advised(file: Path, options: Options) -> AdvisedFile:
    """Read the file as `release` would."""
    shape = "table" if options.reading.says_table and not options.baskets.is_given else options.baskets.shape(file)
    return _items(file, shape, options) if shape != "table" else _table(file, options)


# -- tables ----------------------------------------------------------------------------------------------------------


def _table(file: Path, options: Options) -> AdvisedFile:
    from discreet.data.dataset import Dataset
    from discreet.data.role_suggestions import suggest
    from discreet.report.wording import count

    large = _outgrows_memory(file)
    table, rows = _first_rows(file, options) if large else ((read := options.reading.read(file)), len(read))
    given = options.roles.roles(table.names)
    unknown = [name for name in given.named if name not in table]
    if unknown:
        raise RolesError(f"There is no column {listing(unknown)}.{did_you_mean(unknown[0], table.names)}")
    with step("Looking at the columns"):
        suggestions = suggest(table, target=given.target)
    roles, guessed = _roles(given, suggestions)
    undecided = [one.column for one in suggestions if one.role == "decide" and one.column not in roles.named]
    remarks = []
    if guessed:
        remarks.append(f"  roles     suggested for {listing(guessed)}: only you know what an outsider can know")
    if undecided:
        remarks.append(f"  left out  {listing(undecided)}: no role; give one if recipients need it")
    size = f"about {count(rows)}" if large else count(rows)
    return AdvisedFile(
        plain(file.name),
        plain(file.stem),
        "table",
        rows,
        len(table.names),
        roles.target is not None,
        f"{size} rows, {count(len(table.names))} columns",
        roles,
        None if large else Dataset.unchecked(table, roles),
        large=large,
        free_text=tuple(one.column for one in suggestions if "free text" in one.reason),
        remarks=tuple(remarks),
    )


def _roles(given: Roles, suggestions: list[Any]) -> tuple[Roles, list[str]]:
    """The given roles; where no quasi-identifier was named, those that are suggested, and the columns that got one."""
    from dataclasses import replace

    from discreet.data.role_suggestions import suggested_roles

    if given.quasi:
        return given, []
    found = suggested_roles(suggestions)
    free = {role: tuple(n for n in getattr(found, role) if n not in given.named) for role in _LISTED}
    merged = {role: getattr(given, role) or free[role] for role in _LISTED}
    person = given.person or (found.person if found.person not in given.named else None)
    roles = replace(given, target=given.target or found.target, person=person, **merged)
    if not roles.quasi:
        raise RolesError("No column looks like one that outsiders know. Name those that they may know with --quasi.")
    return roles, [name for name in roles.named if name not in given.named]


_LISTED = ("quasi", "sensitive", "identifiers", "other")


def _outgrows_memory(file: Path) -> bool:
    """Whether it is text or Parquet, which engines read where it is, and too large to be held. Packed files are not."""
    from discreet.data.file_kinds import TEXT, kind_of
    from discreet.data.held_file import codec_of
    from discreet.errors import quietly
    from discreet.foundation.system import free_memory

    if not file.is_file() or _COPIES * file.stat().st_size <= free_memory():
        return False
    with file.open("rb") as stream:
        packed = codec_of(stream.read(4)) is not None
    return not packed and quietly(kind_of, file)[0] in (TEXT, "Parquet")


def _first_rows(file: Path, options: Options) -> tuple[Table, int]:
    """The first rows of a large file, and about how many it has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from discreet.data.file_kinds import TEXT, kind_of
    from discreet.data.held_file import head_of
    from discreet.data.table import Table
    from discreet.engines.csv_batches import CsvBatches

    if kind_of(file) != TEXT:
        stored = pq.ParquetFile(file)
        return Table.of(pa.Table.from_batches([next(stored.iter_batches(_FIRST))])), stored.metadata.num_rows
    dialect = ("delimiter", "quote", "encoding", "names", "header")
    arguments = {name: value for name, value in options.reading.arguments.items() if name in dialect}
    source = CsvBatches(file, **arguments)
    batch = source.reader().read_next_batch()[:_FIRST].rename_columns(list(source.names))
    head = head_of(file, 1 << 20)
    return Table.of(pa.Table.from_batches([batch])), file.stat().st_size * head.count(b"\n") // max(len(head), 1)


# -- items -----------------------------------------------------------------------------------------------------------


def _items(file: Path, shape: str, options: Options) -> AdvisedFile:
    from discreet.data.dataset import Dataset
    from discreet.report.wording import count

    given = options.roles
    unfit = [role for role, names in asdict(given).items() if names and role != "target"]
    if unfit:
        named = listing(f"--{role.replace('_', '-')}" for role in unfit)
        raise RolesError(f"Items have a label and no other columns; they take no {named}. Leave it out.")
    labels, first = options.baskets.labels, []
    if shape == "columns":
        if given.target is None:
            raise RolesError("Baskets of 0/1 columns need --target, the column that holds the labels.")
        data = _of_columns(file, options)
    else:
        beside = file.with_suffix(".labels")
        if labels is None:
            labels = beside
            if not beside.is_file():
                first = [f"Write {plain(beside.name)}: the label of each line, one on a line, in the same order."]
        data = _of_lines(file, options, None if first else labels)
    rows, items = data.shape
    return AdvisedFile(
        plain(file.name),
        plain(file.stem),
        shape,
        rows,
        items,
        True,
        f"{count(rows)} rows, {count(items)} different items",
        dataset=None if first else Dataset.unchecked(data),
        labels=labels,
        target=given.target,
        first=tuple(first),
    )


def _of_columns(file: Path, options: Options) -> Baskets:
    from discreet.data.baskets import Baskets

    return Baskets.from_columns(options.reading.read(file), target=options.roles.target)


def _of_lines(file: Path, options: Options, labels: Path | None) -> Baskets:
    from dataclasses import replace

    if options.roles.target is not None:
        raise RolesError("Lines of items have no columns, so there is no --target; --labels names a file of labels.")
    return replace(options.baskets, labels=labels).transactions(file)
