# SPDX-License-Identifier: Apache-2.0
"""An append-only chain of lines: an SQLite file in which each line carries a keyed hash of itself and its predecessor.

The hash of line n is HMAC-SHA256(key, n, hash of line n - 1, body of line n). Without the key nobody can change, move,
insert or remove a line so that the hashes still fit. The key is in a separate file that only its owner may read. That
file also holds the head, the number and the hash of the last line: it reveals a truncated database or an older copy,
which the database alone cannot. All of it, and the schema, is checked at every opening.

Whoever can read and write both files can forge both. Receipts kept elsewhere reveal even that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import DataError, quietly, shown
from discreet.foundation import system
from discreet.foundation.atomic_files import write_whole

FORMAT = 3  # of the file, in SQLite's user_version
KEY_BYTES = 32
_PATIENCE = 30  # seconds to wait for another process
_LARGEST_KEY_FILE = 1 << 16
_TABLE = "CREATE TABLE lines (number INTEGER PRIMARY KEY, body TEXT NOT NULL, mac TEXT NOT NULL)"
_SCHEMA = (
    _TABLE,
    "CREATE TRIGGER unchanged BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'what was written stays'); END",
    "CREATE TRIGGER kept BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END",
)


@dataclass(frozen=True)
class ChainLine:
    """A line of the chain. The body is empty if it cannot be read."""

    number: int
    body: dict[str, Any]
    mac: str


@dataclass(frozen=True)
class Head:
    """The key, and the number and hash of the last line."""

    key: bytes = field(repr=False)
    lines: int = 0
    last: str = ""

    def to_bytes(self) -> bytes:
        head = {"format": 1, "key": self.key.hex(), "lines": self.lines, "last": self.last, "seal": self._seal}
        return (json.dumps(head) + "\n").encode()

    @property
    def _seal(self) -> str:
        return _mac(self.key, self.lines, self.last, "head")

    @classmethod
    def of(cls, content: bytes) -> Head:
        fields = json.loads(content)
        key, lines, last = bytes.fromhex(fields["key"]), fields["lines"], fields["last"]
        head = cls(key, lines, last)
        if len(key) != KEY_BYTES or not hmac.compare_digest(head._seal, fields["seal"]):
            raise ValueError
        return head


@dataclass
class OpenLedger:
    """A chain opened in a transaction, with its problems; lines can be added if there are none."""

    file: sqlite3.Connection
    head: Head | None
    lines: list[ChainLine]
    problems: list[str]
    broken: frozenset[int] = frozenset()  # numbers of lines that do not fit their hash
    added: int = 0

    @property
    def key(self) -> bytes:
        assert self.head is not None
        return self.head.key

    def add(self, body: dict[str, Any]) -> ChainLine:
        """Append a line; the chain must have no problems."""
        assert not self.problems
        number, previous = (self.lines[-1].number, self.lines[-1].mac) if self.lines else (0, "")
        text = json.dumps(body, ensure_ascii=True, allow_nan=False)
        line = ChainLine(number + 1, body, _mac(self.key, number + 1, previous, text))
        self.file.execute("INSERT INTO lines VALUES (?, ?, ?)", (line.number, text, line.mac))
        self.lines.append(line)
        self.added += 1
        return line


@dataclass(frozen=True)
class Chain:
    """The chain in a file, with its key in another. `older` reads an earlier format, as bodies of lines."""

    path: Path
    key_file: Path
    older: Callable[[sqlite3.Connection, int], list[dict[str, Any]] | None]

    @contextmanager
    def opened(self, *, make: bool = False) -> Iterator[OpenLedger]:
        """Open the chain in an exclusive transaction, for which other processes wait."""
        if not make and not self.path.is_file():
            asked = shown(self.path.name)
            raise DataError(f"There is no ledger {asked}. Set a limit first: `discreet ledger set-limit`.")
        try:
            if not self.path.exists():
                self._refuse_lost()
                os.close(system.open_file(self.path, os.O_CREAT | os.O_RDWR, links=True))
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)) as file:
                file.execute("PRAGMA synchronous = FULL")
                with _alone(file):
                    ledger = self._open(file, make)
                    yield ledger
                if ledger.added:
                    self._move_head(file)
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"The ledger {shown(self.path.name)} cannot be used ({type(error).__name__}): it is no ledger, it is"
                " locked by another process, or it cannot be written."
            ) from None

    def renew(self, ledger: OpenLedger, more: dict[str, Any]) -> None:
        """Rewrite all readable lines, with a new key if there is none, and append `more`."""
        head = ledger.head or self._new_key()
        for kind, name in _objects(ledger.file):
            ledger.file.execute(f'DROP {kind} IF EXISTS "{name}"')
        _make(ledger.file)
        bodies = [line.body for line in ledger.lines if line.body]
        ledger.head, ledger.lines, ledger.problems = head, [], []
        for body in (*bodies, more):
            ledger.add(body)

    # -- opening -----------------------------------------------------------------------------------------------------

    def _open(self, file: sqlite3.Connection, make: bool) -> OpenLedger:
        (format,) = file.execute("PRAGMA user_version").fetchone()
        head, why = self._read_key()
        empty = not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        fresh = not why if head is None else not head.lines
        if fresh and ((format == 0 and empty and make) or 0 < format < FORMAT):
            bodies = [] if format == 0 else self.older(file, format)
            if bodies is not None:
                ledger = OpenLedger(file, head or self._new_key(), [], [])
                _make(file)
                for body in bodies:
                    ledger.add(body)
                return ledger
        if format != FORMAT and head is None and not why:
            raise DataError(f"{shown(self.path.name)} is not a ledger of format {FORMAT}.")
        return self._checked(file, format, head, why)

    def _checked(self, file: sqlite3.Connection, format: int, head: Head | None, why: str) -> OpenLedger:
        problems = [] if head is not None else [why or f"its key {shown(self.key_file.name)} is not there"]
        if head is not None and why:
            problems.append(why)
        if format != FORMAT:
            problems.append(f"it is of format {format}, not {FORMAT}: another file took its place")
        objects = _parts(file)
        lost, strange = _expected() - set(objects), set(objects) - _expected()
        if lost:
            problems.append(f"{len(lost)} of the {len(_expected())} parts of its schema are gone or changed")
        if strange:
            problems.append(f"{len(strange)} parts of its schema are not the ledger's")
        lines: list[ChainLine] = []
        broken: frozenset[int] = frozenset()
        if _TABLE in {sql for *_, sql in objects}:
            rows = file.execute("SELECT number, body, mac FROM lines ORDER BY number").fetchall()
            lines = [ChainLine(number, _body(body), str(mac)) for number, body, mac in rows]
            broken = frozenset() if head is None else frozenset(_broken(rows, head.key))
            problems += [] if head is None else _breaks(rows, sorted(broken), head)
        elif head is not None and head.lines:
            problems.append(f"its {head.lines} lines are gone")
        return OpenLedger(file, head, lines, problems, broken)

    # -- the key -----------------------------------------------------------------------------------------------------

    def _read_key(self) -> tuple[Head | None, str]:
        """The head, and what is wrong with its file, if it exists."""
        name = shown(self.key_file.name)
        if not os.path.lexists(self.key_file):
            return None, ""
        content, failure = quietly(self._key_bytes)
        if content is None:
            return None, f"its key {name} cannot be read ({failure})"
        head, _ = quietly(Head.of, content)
        if head is None:
            return None, f"{name} does not hold a key with its head, or was changed"
        readable = system.is_open_to_others(self.key_file.stat())
        return head, f"others may read or change its key {name}: make it yours alone (mode 0600)" if readable else ""

    def _key_bytes(self) -> bytes:
        descriptor = system.open_file(self.key_file, os.O_RDONLY, links=True)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError
            return file.read(_LARGEST_KEY_FILE)

    def _new_key(self) -> Head:
        head = Head(secrets.token_bytes(KEY_BYTES))
        write_whole(self.key_file, head.to_bytes())
        return head

    def _move_head(self, file: sqlite3.Connection) -> None:
        """Advance the head to the last line, under the chain's lock so that no process moves it back."""
        with _alone(file):
            head, _ = self._read_key()
            number, last = file.execute("SELECT number, mac FROM lines ORDER BY number DESC LIMIT 1").fetchone()
            if head is not None:
                write_whole(self.key_file, Head(head.key, number, last).to_bytes())

    def _refuse_lost(self) -> None:
        head, _ = self._read_key()
        if head is not None and head.lines:
            raise DataError(
                f"The ledger {shown(self.path.name)} is gone: its key {shown(self.key_file.name)} knows of {head.lines}"
                " lines. Put it back from a copy. To begin anew, with nothing spent, move the key away."
            )


@contextmanager
def _alone(file: sqlite3.Connection) -> Iterator[None]:
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        file.execute("ROLLBACK")
        raise
    file.execute("COMMIT")


def _make(file: sqlite3.Connection) -> None:
    for statement in _SCHEMA:
        file.execute(statement)
    file.execute(f"PRAGMA user_version = {FORMAT}")


def _objects(file: sqlite3.Connection) -> list[tuple[str, str]]:
    rows = file.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC")
    return [(kind, name.replace('"', '""')) for kind, name in rows if kind in ("table", "trigger", "view", "index")]


def _expected() -> set[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as file:
        _make(file)
        return set(_parts(file))


def _parts(file: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """The schema, without the counter table of format 2, which SQLite never drops."""
    rows = file.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return [tuple(row) for row in rows if tuple(row)[:2] != ("table", "sqlite_sequence")]


def _mac(key: bytes, number: int, previous: str, body: str) -> str:
    content = json.dumps([number, previous, body], ensure_ascii=True)
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()


def _body(text: object) -> dict[str, Any]:
    body, _ = quietly(json.loads, text)
    return body if isinstance(body, dict) else {}


def _broken(rows: list[tuple[Any, Any, Any]], key: bytes) -> Iterator[int]:
    """The numbers of the lines that do not fit their hash."""
    previous = ""
    for number, body, mac in rows:
        texts = isinstance(body, str) and isinstance(mac, str)
        if not texts or not hmac.compare_digest(mac.encode(), _mac(key, number, previous, body).encode()):
            yield number
        previous = str(mac)


def _breaks(rows: list[tuple[Any, Any, Any]], wrong: list[int], head: Head) -> list[str]:
    """Problems of the lines: hashes that do not fit, gaps in the numbers, a missing end."""
    problems = []
    if wrong:
        were = (
            "does not fit its hash: it" if len(wrong) == 1 else f"and {len(wrong) - 1} more do not fit their hash: they"
        )
        problems.append(f"line {wrong[0]} {were} or what stood before was changed, inserted, moved or taken out")
    numbers = [number for number, *_ in rows]
    if numbers != [*range(1, len(numbers) + 1)]:
        problems.append("the numbers of its lines have gaps")
    macs = {number: mac for number, _, mac in rows}
    if head.lines and macs.get(head.lines) != head.last:
        cut = "its end was cut off, or an older copy took its place" if len(rows) < head.lines else "it was replaced"
        problems.append(f"it holds {len(rows)} lines and not the last of the {head.lines} that were written: {cut}")
    return problems
