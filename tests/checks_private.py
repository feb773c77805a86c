# SPDX-License-Identifier: Apache-2.0
"""The law of every differentially private method: one cell, or one row, may be anything, in any kind of source.

The statistic, caught just before noise is put on it, moves by no more than the release states. No exception comes. And
where what the noise gives back is held fixed, everything that leaves is the same to the last byte: what is published
is a function of the noisy statistic and of what is public.
"""

import csv
import datetime as dt
import hashlib
import io
import math
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa

from discreet import PrivateTable, Roles, Table
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Geometric, _OnGrid
from discreet.mechanisms.euclidean import Euclidean
from discreet.mechanisms.selection import LaplaceTop, _Peeling
from discreet.privacy.noise import from_statement, statement

ROWS = 24
COLUMNS = {
    "a": [18 + 3 * row % 70 for row in range(ROWS)],
    "b": ["north", "south", "01067"] * (ROWS // 3),
    "y": ["True", "true", "False", "TRUE"] * (ROWS // 4),
    "who": [*range(ROWS // 2), *[3, None] * (ROWS // 4)],
}
ROLES = {"rows": Roles(target="y", quasi=("a", "b")), "persons": Roles(target="y", quasi=("a", "b"), person="who")}
DOMAIN = {"a": {"cuts": [30, 50, 70]}, "b": ["north", "south", "01067"], "y": ["true", "false"]}
SAMPLE = ([[20.0, 1.0], [40.0, 2.0], [60.0, 1.0], [80.0, 2.0]], ["true", "false", "true", "false"])
ODD = [
    *("unknown", "odd, text", "1.0", 7.25, 3, True, "True", "", None, "NA", "-", math.inf, -math.inf, "inf", math.nan),
    *(1e308, "1e400", 2**53 + 1, 2**62, 10**30, "9" * 40, "x" * 10**4, "a\0b", "\0", "\ud800", "é", "2020-01-31"),
    *(dt.date(2020, 1, 31), dt.datetime(2020, 1, 31, 7), b"bytes", [1], {"a": 1}, object()),
]
NORMS = {"geometric": 1, "gaussian": 2, "euclidean": 2}  # selections: each score by itself


# -- sources -----------------------------------------------------------------------------------------------------------


def as_csv(columns, folder: Path):
    """Text that cannot be written in UTF-8 is written as the bytes that it would have."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if cell is None else cell for cell in row])
    path = folder / "rows.csv"
    path.write_bytes(text.getvalue().encode("utf-8", "surrogatepass"))
    return path


def as_table_of_csv(columns, folder):
    """A table that was read, and looked at column by column, before the method got it."""
    table = Table.of(as_csv(columns, folder), header=True, delimiter=",")
    for name in columns:
        try:
            table.column(name)
        except ValueError:
            continue
    return table


def as_objects(columns, folder):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


def as_typed(columns, folder):
    """As pandas likes it: whole numbers are doubles where one is missing, and objects where one is text."""

    def series(cells):
        try:
            return pd.Series(cells)
        except UnicodeEncodeError:  # a lone surrogate, which pandas takes among objects only
            return pd.Series(cells, dtype=object)

    return pd.DataFrame({name: series(cells) for name, cells in columns.items()})


def as_arrow(columns, folder):
    """Of one type each; cells of several types are text, but for those that Arrow makes one type of as they are."""

    def array(cells):
        kinds = {type(cell) for cell in cells if cell is not None}
        try:
            return pa.array(cells if len(kinds) == 1 or kinds in ({int, float}, {str, bytes}) else [object()])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError, TypeError):
            texts = [None if cell is None else str(cell).encode("utf-8", "replace").decode() for cell in cells]
            return pa.array(texts)

    return pa.table({name: array(cells) for name, cells in columns.items()})


SOURCES = (as_csv, as_table_of_csv, as_objects, as_typed, as_arrow)


# -- noise that is held fixed ------------------------------------------------------------------------------------------


@contextmanager
def held(seen: list):
    """Mechanisms write down what they are given and answer by what is public alone; chance is always the same."""

    def numbers(self, values, *_):
        seen.append((self.name, np.asarray(values)))
        return (np.arange(len(values)) * 5 + len(seen)) % 7

    def places(self, values, *_):
        seen.append((self.name, np.asarray(values)))
        return (np.arange(self.picks) + len(seen)) % len(values)

    def fixed(self, seed=None):
        self.seed, self._drawn, self._by_cipher = seed, 0, False
        self._key = hashlib.sha256(b"held %r" % seed).digest()

    with (
        mock.patch.object(Geometric, "run", numbers),
        mock.patch.object(_OnGrid, "run", lambda *given: numbers(*given).astype(float)),
        mock.patch.object(Euclidean, "run", lambda *given: numbers(*given).astype(float)),
        mock.patch.object(LaplaceTop, "run", places),
        mock.patch.object(_Peeling, "run", places),
        mock.patch.object(Randomness, "__init__", fixed),
    ):
        yield


def released(method, columns, roles, source, folder):
    """What went into the noise, what is stated about it, and everything that leaves."""
    seen: list = []
    with held(seen):
        release = method.release(source(columns, folder), roles)
        uses = release.noise or from_statement(release.data["noise"])
        certificate = release.certificate.model_dump(mode="json")
        rows = None if release.shape != "table" else release.table.to_arrow().to_pydict()
        content = None if release.content.has_rows else release.document.to_bytes()
        kept = (
            release.record,
            release.changes,
            release.owner.persons,
            list(release.owner.trace),
            list(release.owner.notes),
        )
    certificate.pop("id", None)
    return seen, uses, (certificate, rows, content, repr(release), statement(uses), *kept)


def moved(before: list, after: list, uses, told: str = "") -> None:
    """The statistic moved by no more than is stated. Several picks of one use follow each other."""
    assert [(name, values.shape) for name, values in before] == [(name, values.shape) for name, values in after]
    calls = list(zip(before, after, strict=True))
    for use in uses:
        most = 1 if use.mechanism in NORMS else use.picks
        same = list(takewhile(lambda call: call[0][0] == use.mechanism, calls[:most]))  # noqa: B023
        assert same
        calls = calls[len(same) :]
        for (name, one), (_, other) in same:
            change = np.linalg.norm((one.astype(float) - other.astype(float)).ravel(), NORMS.get(name, np.inf))
            assert change <= use.sensitivity * (1 + 1e-9), f"{name}: {change}, stated {use.sensitivity} {told}"
    assert not calls


# -- the law -----------------------------------------------------------------------------------------------------------


def of(instance):
    """The instance's method, for these columns."""
    method = instance.make(5)
    fits = {"domain": DOMAIN, "bounds": (0, 100), "n_features": 2, "blocks": 6, "reference": SAMPLE}
    chosen = {name: fits[name] for name, value in method.get_params().items() if name in fits and value is not None}
    if "domain" in method.get_params():
        chosen["domain"] = DOMAIN
    return method.set_params(**chosen)


def takes(method, whose) -> bool:
    return whose == "rows" or getattr(method, "strategy", "") not in ("blocks", "reference")


def private_no_cell_has_a_say_in_what_is_public(instance, tmp_path):
    """Every odd cell in every column, in every kind of source; rows are as many as before."""
    method = of(instance)
    for source in SOURCES:
        for whose, roles in ROLES.items():
            if not takes(method, whose):
                continue
            before, uses, public = released(method, COLUMNS, roles, source, tmp_path)
            names = [name for name in COLUMNS if name != "who" or whose == "persons"]
            for place, (name, odd) in enumerate((name, odd) for name in names for odd in ODD):
                if (place + len(whose)) % 2 and source is not as_objects:
                    continue  # every second cell is enough for the sources that take longer
                changed = {**COLUMNS, name: list(COLUMNS[name])}
                changed[name][place % ROWS] = odd
                told = f"{source.__name__}, {whose}, {name}, a {type(odd).__name__}"
                after, _, also = released(method, changed, roles, source, tmp_path)
                moved(before, after, uses, told)
                assert also == public, told


def private_a_row_may_be_any_other(instance, tmp_path):
    method = of(instance)
    for source in SOURCES:
        for whose, roles in ROLES.items():
            if not takes(method, whose):
                continue
            before, uses, public = released(method, COLUMNS, roles, source, tmp_path)
            for place in range(0, len(ODD) - 4, 5):
                changed = {name: list(cells) for name, cells in COLUMNS.items()}
                for step, name in enumerate(("a", "b", "y")):
                    changed[name][place % ROWS] = ODD[place + step]
                after, _, also = released(method, changed, roles, source, tmp_path)
                moved(before, after, uses)
                assert also == public


def private_a_person_may_be_there_or_not(instance, tmp_path):
    """Where the number of rows is private: a row without an id, or all rows of a person, are added at the end."""
    method = of(instance)
    if not isinstance(method, PrivateTable):
        return
    for whose, most in (("rows", 1), ("persons", 1), ("persons", 2)):
        roles = ROLES[whose]
        method.set_params(neighbours="add-remove", rows_per_person=most)
        for source in SOURCES:
            before, uses, public = released(method, COLUMNS, roles, source, tmp_path)
            for ids in ([None], ["new"], ["new"] * 5) if whose == "persons" else ([None],):
                for odd in ODD[:: 4 if source is as_objects else 11]:
                    more = {"a": odd, "b": odd, "y": odd}
                    changed = {name: [*cells, *[more.get(name)] * len(ids)] for name, cells in COLUMNS.items()}
                    changed["who"][-len(ids) :] = ids
                    after, _, also = released(method, changed, roles, source, tmp_path)
                    moved(before, after, uses)
                    assert also == public
    empty = {name: [] for name in COLUMNS}
    before, uses, public = released(method, empty, ROLES["rows"], as_objects, tmp_path)
    after, _, also = released(method, {n: c[:1] for n, c in COLUMNS.items()}, ROLES["rows"], as_objects, tmp_path)
    moved(before, after, uses)
    assert also == public


def private_matrices_may_hold_anything(instance, tmp_path):
    """release(X, y) and fit(X, y), which scikit-learn would refuse for one cell."""
    method = of(instance)
    if isinstance(method, PrivateTable):
        return
    method.set_params(**({"domain": None} if "domain" in method.get_params() else {}))
    X = np.array([[row % 2, row % 3 == 0] for row in range(ROWS)], dtype=object)
    y = np.array(COLUMNS["y"], dtype=object)

    def taken(cells, labels):
        seen: list = []
        with held(seen):
            release = method.release(cells, labels)
            fitted = method.fit(cells, labels)
        picked = getattr(fitted, "weights_", getattr(fitted, "order_", None))
        return seen, from_statement(release.data["noise"]) * 2, (release.document.to_bytes(), picked.tolist())

    before, uses, public = taken(X, y)
    for place, odd in enumerate(ODD):
        for changes_label in (False, True):
            cells, labels = X.copy(), y.copy()
            if changes_label:
                labels[place % ROWS] = odd
            else:
                cells[place % ROWS, place % 2] = odd
            after, _, also = taken(cells, labels)
            moved([*before[: len(before) // 2]], [*after[: len(after) // 2]], uses[:1])
            assert also == public
    for odd in (math.nan, math.inf, -math.inf, 1e308):
        numbers = X.astype(float)
        numbers[3, 1] = odd
        assert taken(numbers, y)[2] == taken(X.astype(float), y)[2] == public


PRIVATE_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("private_")]
