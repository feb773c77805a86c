# SPDX-License-Identifier: Apache-2.0
"""A project: a private folder with the table, the journal of decisions, and what was made from them.

journal.jsonl   every decision, see journal.py
data/           the files that were brought in, under names of the studio's own
runs/           comparisons, each in the folder of a study
hierarchies/    those that were made by hand, as ARX writes them, and other files that a recipe names
ledger.sqlite   what was handed over

The folder is readable by its owner alone. It is removed when the studio ends, unless the person named it.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from discreet.data.transactions import looks_like_transactions, read_labels
from discreet.errors import DataError, plain
from discreet.foundation.atomic_files import write_whole
from discreet.foundation.system import is_open_to_others, set_mode
from discreet.foundation.toml_values import toml_value
from discreet.prepare.edited_hierarchy import arx_csv
from discreet.prepare.hierarchy import from_paths
from discreet.release.ledger import Ledger
from discreet.studio.journal import Journal
from discreet.studio.recipe_of import SHAPES, OfferedMethod, RecipeFiles, offered_methods, recipe_of
from discreet.studio.runs import Runs
from discreet.study.replay import hash_of

MOST_BYTES = 4 << 30  # of a file that is brought in
ROLES = {
    "target": "what a classifier is to predict; published as it is",
    "quasi": "an outsider may know it; the promise covers it",
    "sensitive": "what an outsider wants to learn; published as it is",
    "other": "published as it is; assumed unknown to outsiders",
    "identifier": "a name or number; never published",
    "person": "tells whose row it is: persons are counted, not rows",
    "left out": "not published",
}
_PART = 1 << 20  # bytes of a file that are written at once
_PUBLISHED = ("target", "quasi", "sensitive", "other")
_ONE = ("target", "person")  # roles of one column only
_ABOUT_COLUMNS = ("chosen", "hierarchies", "roles", "methods", "shape", "text", "labels", "domain")
_NAMES_COLUMNS = ("table", "delimiter", "header")  # of a reading: they say what the columns are
_SUFFIX = re.compile(r"(?:\.[a-z0-9]{1,8}){1,2}$")


@dataclass(frozen=True)
class BroughtFile:
    """The file of a project: its name as the person knows it, where it is, and how it is read."""

    name: str
    path: Path
    digest: str
    reading: Mapping[str, Any]


class Project:
    """The folder and the journal of a project."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES):
        self.folder, self.most_bytes = folder, most_bytes
        if folder.exists() and is_open_to_others(folder.stat()):
            raise DataError(f"Others may look into the folder {folder.name!r}. Choose one that does not exist yet.")
        for place in (folder, folder / "data", folder / "runs"):
            if not place.exists():
                place.mkdir(mode=0o700, parents=True)
                set_mode(place, 0o700)
        self.journal = Journal.opened(folder / "journal.jsonl")
        self.runs = Runs(folder / "runs")

    @property
    def source(self) -> BroughtFile | None:
        """The file, None if none was brought in."""
        said = self.journal.state().get("source")
        if said is None:
            return None
        stored = self.folder / "data" / Path(said["stored"]).name
        return BroughtFile(said["name"], stored, said["sha256"], said.get("reading", {}))

    @property
    def shape(self) -> str:
        """What the file holds, one of SHAPES."""
        return self.journal.state().get("shape", "table")

    @property
    def labels(self) -> BroughtFile | None:
        """The file with the labels of transactions, None if none was brought in."""
        said = self.journal.state().get("labels")
        if said is None:
            return None
        return BroughtFile(said["name"], self.folder / "data" / Path(said["stored"]).name, said["sha256"], {})

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column that has one."""
        return dict(self.journal.state().get("roles", {}))

    def with_role(self, role: str) -> list[str]:
        """The columns that have a role."""
        return [name for name, its in self.roles.items() if its == role]

    @property
    def seed(self) -> int:
        """The secret number that all random choices follow from; drawn once."""
        path = self.folder / "seed"
        if not path.exists():
            write_whole(path, str(secrets.randbits(62)).encode())
        return int(path.read_text(encoding="utf-8"))

    def recipe(self, *, to_give: bool = False) -> dict[str, Any]:
        """The recipe of what was decided; `to_give` names files as the person does, not as they are stored."""
        state = self.journal.state() | {"seed": self.seed}
        files = {column: str(self._kept(text)) for column, text in self.hierarchies().items()}
        labels = None if self.labels is None else self.labels.name if to_give else self.labels.path.name
        domain = self._domain()
        if domain is not None and to_give:
            domain = "domain.toml"  # as the page of the domain gives it out
        return recipe_of(state, RecipeFiles(files, labels, domain), jobs=max(1, (os.cpu_count() or 1) - 1))

    def methods(self) -> list[OfferedMethod]:
        """The methods that can be compared with what was decided."""
        return offered_methods(self.journal.state(), self._domain())

    @property
    def published(self) -> list[str]:
        """The columns of a table that a release publishes, by their roles."""
        return [column for role in _PUBLISHED for column in self.with_role(role)]

    @property
    def domain(self) -> dict[str, dict[str, Any]]:
        """What was stated of published columns: their public values, or cuts."""
        stated = self.journal.state().get("domain", {})
        return {column: stated[column] for column in self.published if column in stated}

    @property
    def domain_text(self) -> str:
        """The public domain as a TOML file."""
        return "".join(f"{toml_value(column)} = {toml_value(stated)}\n" for column, stated in self.domain.items())

    def set_domain(self, stated: Mapping[str, Any], words: str) -> None:
        """State the public values of columns in one decision; None takes those of a column back."""
        (what, to), *also = [(("domain", column), domain) for column, domain in stated.items()]
        self.journal.decide(what, to, words, also)

    def _domain(self) -> str | None:
        """The file of the public domain; None as long as a published column is not in it."""
        if not self.published or len(self.domain) < len(self.published):
            return None
        return str(self._kept(self.domain_text, ".toml"))

    def hierarchies(self) -> dict[str, str]:
        """The hierarchies that were made by hand for quasi-identifiers, as ARX writes them."""
        made = self.journal.state().get("hierarchies", {})
        return {
            column: arx_csv(from_paths(column, paths))
            for column, paths in made.items()
            if self.roles.get(column) == "quasi"
        }

    def _kept(self, text: str, suffix: str = ".csv") -> Path:
        """A file of the project with this text, named after it."""
        place = self.folder / "hierarchies" / f"{sha256(text.encode()).hexdigest()[:16]}{suffix}"
        if not place.exists():
            place.parent.mkdir(mode=0o700, exist_ok=True)
            write_whole(place, text.encode())
        return place

    def run_name(self) -> str | None:
        """The name of the run that the decisions ask for; None without a table."""
        if self.source is None:
            return None
        return Runs.name(self.recipe(), self._digest)

    @property
    def _digest(self) -> str:
        """The hash of the file, and of its labels, if they are in a second one."""
        assert self.source is not None
        return self.source.digest + (self.labels.digest if self.labels and self.shape == "transactions" else "")

    def start_run(self) -> str:
        """Compare what the decisions ask for, or go on with it."""
        assert self.source is not None
        return self.runs.start(self.recipe(), self.source.path, self._digest)

    def undecided(self, columns: Sequence[str]) -> list[str]:
        """The columns without a role."""
        return [name for name in columns if name not in self.roles]

    def ledger(self) -> Ledger | None:
        """The ledger of what was handed over; None if nothing was."""
        path = self.folder / "ledger.sqlite"
        return Ledger(path) if path.exists() else None

    def handed_over(self, release: str, recipient: str) -> None:
        """Write down that a release left."""
        source, path = self.source, self.folder / "ledger.sqlite"
        assert source is not None
        kept = Ledger(path)
        if not path.exists() or source.name not in kept.limits():
            kept.set_limit(source.name, epsilon=0.0)  # releases with noise need a limit that somebody sets
        kept.record(source.name, f"{release}, handed to {recipient or 'somebody not named'}")

    def set_budget(self, epsilon: float) -> None:
        """What all releases with noise of the table may cost together."""
        assert self.source is not None
        Ledger(self.folder / "ledger.sqlite").set_limit(self.source.name, epsilon=epsilon)

    def refuse_size(self, announced: str | None) -> None:
        """Refuse a file by the size that is announced, before it is sent."""
        if announced is not None and announced.isdigit() and int(announced) > self.most_bytes:
            raise DataError(self._too_large)

    @property
    def _too_large(self) -> str:
        return (
            f"The file is larger than {self.most_bytes:,} bytes, the most that the studio takes. Use `discreet release`"
            " with --engine for it."
        )

    async def bring_in(self, name: str, content: AsyncIterator[bytes]) -> None:
        """Store a file, piece by piece, and make it the project's; what is too large is refused and removed."""
        shown = plain(Path(name.replace("\\", "/")).name)[:200] or "table"
        stored = self.place_for(shown)
        size = 0
        try:
            with stored.open("xb") as file:
                set_mode(stored, 0o600)
                async for piece in in_parts(content):
                    size += len(piece)
                    if size > self.most_bytes:
                        raise DataError(self._too_large)
                    await run_in_threadpool(file.write, piece)  # a disk may take its time
            if size == 0:
                raise DataError("The file is empty (0 bytes). A table needs a header line and rows.")
        except BaseException:
            stored.unlink(missing_ok=True)
            raise
        await run_in_threadpool(self.take, shown, stored)

    def place_for(self, name: str) -> Path:
        """Where a file is stored: under a name of the studio's own, with the endings of its name."""
        suffix = _SUFFIX.search(name.lower())
        return self.folder / "data" / f"{secrets.token_hex(8)}{suffix.group() if suffix else ''}"

    def take(self, name: str, stored: Path) -> None:
        """Make a stored file the project's. What was decided about the columns of another table is asked anew."""
        before, digest = self.source, hash_of(stored)
        said = {"name": name, "stored": stored.name, "sha256": digest}
        also: list[tuple[tuple[str, ...], Any]] = []
        if before is None or before.digest != digest:
            also = [((what,), None) for what in _ABOUT_COLUMNS]
            if looks_like_transactions(stored):
                also.append((("shape",), "transactions"))
        self.journal.decide(("source",), said, f"The table is {name}.", also)

    def set_reading(self, reading: Mapping[str, Any], words: str) -> None:
        """Say how the file is read, in the words of `Table.of`. Where that makes other columns of it, what was decided
        about them is asked anew."""
        before = self.source
        assert before is not None
        other = any(before.reading.get(name) != reading.get(name) for name in _NAMES_COLUMNS)
        anew = [what for what in _ABOUT_COLUMNS if what != "shape"] if other else ["hierarchies", "domain"]
        said = {name: value for name, value in self.journal.state()["source"].items() if name != "reading"}
        also = [((what,), None) for what in anew]
        self.journal.decide(("source",), said | ({"reading": dict(reading)} if reading else {}), words, also)

    def take_labels(self, name: str, content: bytes) -> None:
        """Store the labels of transactions, one per line."""
        digest = sha256(content).hexdigest()
        stored = self.folder / "data" / f"{digest[:16]}.labels"
        write_whole(stored, content)
        read_labels(stored)
        shown = plain(Path(name.replace("\\", "/")).name)[:200] or "labels"
        self.journal.decide(
            ("labels",), {"name": shown, "stored": stored.name, "sha256": digest}, f"The labels are in {shown}."
        )

    def set_shape(self, shape: str) -> None:
        """Say what the file holds; what was decided about its columns is asked anew."""
        if shape not in SHAPES:
            raise DataError("The file holds a table, baskets or texts.")
        if shape != self.shape:
            also = [((what,), None) for what in _ABOUT_COLUMNS if what != "shape"]
            self.journal.decide(("shape",), shape, f"{SHAPES[shape]}.", also)

    def set_roles(self, roles: Mapping[str, str], words: str) -> None:
        """Give several columns a role in one decision."""
        settings = [(("roles", column), role) for column, role in roles.items()]
        if settings:
            (what, to), *also = settings
            self.journal.decide(what, to, words, also)

    def set_role(self, column: str, role: str) -> None:
        """Give a column a role; whoever had a role that only one can have loses it."""
        if role not in ROLES:
            raise DataError(f"There is no such role. They are {', '.join(ROLES)}.")
        losing = [other for other, its in self.roles.items() if role in _ONE and its == role and other != column]
        also = [(("roles", other), None) for other in losing]
        self.journal.decide(("roles", column), role, f"{column}: {ROLES[role]}.", also)


async def in_parts(content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """What is sent, in fewer and larger pieces."""
    part = bytearray()
    async for piece in content:
        part += piece
        if len(part) >= _PART:
            yield bytes(part)
            part.clear()
    yield bytes(part)
