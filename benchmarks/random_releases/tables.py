# SPDX-License-Identifier: Apache-2.0
"""Random small tables about made-up persons, with the cells and names that break programs."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.random_releases.cells import texts_of

NASTY = (
    *("other", "missing", "not missing", "a or missing", "{a, b}", "not {a}", "[1, 2)", "< 5", ">= 2020-01-01", "0"),
    *("1", "12", "007", "1e5", "-3", "=1+1", "+49 89", "@home", "-", "--", "inf", "true", "None", 'say "no"', "a, b"),
    *(
        "it's",
        "new\nline",
        "carriage\rreturn",
        "tab\tin it",
        "a;b",
        "a|b",
        "ünïcödé",
        "日本",
        "🙂",
        "\u202eright",
        "a\u0301",
    ),
    *(
        "é",
        "e\u0301",
        "with  two spaces",
        "*x",
        "x*",
        "**",
        "\\n",
        "%s",
        "{0}",
        "<b>",
        "a=b",
        "label",
        "items",
        "x" * 120,
    ),
    *("quasi", "number", "a", "A", "+7", "... ", "\ufeffbom", "a\u00a0b", "#REF", "'quoted'", '"'),
)
PLAIN = ("north", "south", "east", "west", "nurse", "clerk", "smith", "cook", "f", "m", "red", "green", "blue", "low")
NAMES = ("age", "sex", "zip", "town", "job", "born", "height", "visits", "income", "smokes", "marital", "ward")
ODD_NAMES = (
    *("a=b", "with space", 'quo"te', "comma,", "new\nline", "ünï", "=SUM(A1)", "other", "missing", "label", "items"),
    *("person", "0", "y" * 70, "a", "A", "*", "{x}", "age=3", "sex=f", "sketch", "日本", "'", "-1", "null"),
)


@dataclass
class RandomTable:
    """A table as it is handed over, and as its owner knows it."""

    cells: dict[str, list[Any]]
    kinds: dict[str, str]
    target: str
    quasi: list[str]
    sensitive: list[str]
    other: list[str]
    identifiers: list[str]
    person: str | None
    link: str | None
    hidden: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.cells[self.target])

    @property
    def texts(self) -> dict[str, list[str | None]]:
        return {name: texts_of(cells) for name, cells in self.cells.items()}


def marked(rng: Random, word: str) -> str:
    """A word that nothing else in a release holds by chance."""
    return f"{word}Zq{rng.getrandbits(32):08x}"


def random_table(rng: Random, k: int, *, numbers_only: bool = False) -> RandomTable:
    rows = rng.randint(max(k - 1, 2), 80) if rng.random() < 0.1 else rng.randint(min(max(2 * k, 8), 60), 80)
    names = _names(rng)
    profile = [rng.randrange(rng.choice((2, 4, 9))) for _ in range(rows)]  # rows of a profile are alike
    table = RandomTable({}, {}, "", [], [], [], [], None, None)
    for _ in range(rng.randint(1, 5)):
        name = next(names)
        make = _number if numbers_only else rng.choices((_number, _category, _date, _code, _flag), (4, 5, 2, 2, 1))[0]
        table.cells[name], table.kinds[name] = make(rng, profile, k)
        _lose(rng, table.cells[name])
        table.quasi.append(name)
    table.target = next(names)
    table.cells[table.target] = _classes(rng, profile)
    for role, most in ((table.sensitive, 2), (table.other, 1)):
        for _ in range(rng.randint(0, most)):
            role.append(next(names))
            words = _words(rng, rng.randint(2, 6))
            table.cells[role[-1]] = [rng.choice(words) for _ in range(rows)]
    if rng.random() < 0.1:
        table.sensitive.append(table.target)
    _add_hidden(rng, table, names, rows)
    _shuffle_columns(rng, table)
    for name in table.cells:
        table.kinds.setdefault(name, "category")
    return table


def _names(rng: Random):
    names = [*rng.sample(NAMES, len(NAMES)), *(f"column {place}" for place in range(12))]
    if rng.random() < 0.25:
        names = [*rng.sample(ODD_NAMES, rng.randint(1, 5)), *names]
    return iter(names)


def _shuffle_columns(rng: Random, table: RandomTable) -> None:
    order = rng.sample(list(table.cells), len(table.cells))
    table.cells = {name: table.cells[name] for name in order}


# -- quasi-identifiers -------------------------------------------------------------------------------------------------

Made = tuple[list[Any], str]


def _number(rng: Random, profile: list[int], k: int) -> Made:
    make: Callable[[int], Any] = rng.choice(
        (
            lambda p: 20 + 8 * p + rng.randint(0, 5),
            lambda p: rng.randint(0, 3),
            lambda p: rng.randint(-1000, 1000),
            lambda p: round(1.5 + 0.1 * p + rng.random() / 5, 2),
            lambda p: rng.random() * 10.0 ** rng.randint(-9, 9),
            lambda p: float(rng.randint(0, 9)),
            lambda p: rng.randint(0, 2) * 10**14 + p,
        )
    )
    cells = [make(p) for p in profile]
    if rng.random() < 0.2:
        cells = [str(cell) for cell in cells]  # numbers as text
    return cells, "number"


def _flag(rng: Random, profile: list[int], k: int) -> Made:
    ones = rng.random()
    cells = [int(rng.random() < ones) for _ in profile]
    return ([bool(cell) for cell in cells], "category") if rng.random() < 0.4 else (cells, "number")


def _date(rng: Random, profile: list[int], k: int) -> Made:
    start, days = datetime.date(rng.choice((1900, 1968, 2019)), 1, 1), rng.choice((3, 40, 3000))
    cells: list[Any] = [start + datetime.timedelta(days=9 * p + rng.randrange(days)) for p in profile]
    shape = rng.random()
    if shape < 0.4:
        return [str(cell) for cell in cells], "date"
    if shape < 0.6:
        return [f"{cell} {rng.randint(0, 23):02}:{rng.choice((0, 15, 30)):02}:00" for cell in cells], "date"
    return cells, "date"


def _code(rng: Random, profile: list[int], k: int) -> Made:
    """Post codes with a leading zero somewhere, so that they are text; those of a profile begin alike."""
    heads = [f"{rng.randint(0, 99):02}" for _ in range(max(profile) + 1)]
    cells = [f"{heads[p]}{rng.randint(0, rng.choice((4, 40, 999))):03}" for p in profile]
    cells[rng.randrange(len(cells))] = "01067"
    return cells, "category"


def _category(rng: Random, profile: list[int], k: int) -> Made:
    common = _words(rng, rng.randint(1, 7))
    cells: list[Any] = [common[(p + int(rng.random() ** 3 * 3)) % len(common)] for p in profile]
    for _ in range(rng.choice((0, 1, 2, 4))):  # values that too few have, most of them
        rare = marked(rng, "rare") if rng.random() < 0.5 else rng.choice(NASTY)
        for row in rng.sample(range(len(cells)), rng.randint(1, min(k, len(cells)))):
            cells[row] = rare
    if rng.random() < 0.2:
        cells = [f" {cell}" if rng.random() < 0.3 else cell for cell in cells]
    return cells, "category"


def _words(rng: Random, many: int) -> list[str]:
    nasty = rng.choice((0.0, 0.0, 0.3, 1.0))
    words = [rng.choice(NASTY if rng.random() < nasty else PLAIN) for _ in range(many)]
    return list(dict.fromkeys(word.strip() for word in words))


def _lose(rng: Random, cells: list[Any]) -> None:
    """Take cells out: none, some, most or all but one."""
    share = rng.choice((0, 0, 0, 0.05, 0.2, 0.6, 0.98))
    mark = rng.choice((None, None, "", "NA", "?"))
    mark = mark if all(isinstance(cell, str) for cell in cells) else None
    for row in range(len(cells)):
        if rng.random() < share:
            cells[row] = mark


def _classes(rng: Random, profile: list[int]) -> list[Any]:
    labels: list[Any] = rng.choice((["no", "yes"], [0, 1], ["a", "b", "c"], ["no", "yes"], _words(rng, 4)))
    if len(labels) < 2:
        labels = ["no", "yes"]
    return [labels[(p + (rng.random() < 0.3)) % len(labels)] for p in profile]


# -- what is not to be published ---------------------------------------------------------------------------------------


def _add_hidden(rng: Random, table: RandomTable, names: Any, rows: int) -> None:
    """Identifiers, a column without a role, persons with several rows, and a column that numbers the rows."""
    for _ in range(rng.randint(0, 2)):
        table.identifiers.append(next(names))
        table.cells[table.identifiers[-1]] = _secret(rng, table, rows, "an identifier")
    if rng.random() < 0.6:
        table.cells[next(names)] = _secret(rng, table, rows, "a column without a role")
    if rng.random() < 0.35:
        table.person = next(names)
        persons = [marked(rng, "person") for _ in range(max(1, int(rows * rng.choice((0.3, 0.6, 0.9, 1.0)))))]
        table.cells[table.person] = [rng.choice(persons) for _ in range(rows)]
        table.hidden |= dict.fromkeys(persons, "a person's number")
    if rng.random() < 0.5:
        table.link = next(names)
        table.cells[table.link] = [f"row {place}" for place in rng.sample(range(1000), rows)]
        table.other.append(table.link)


def _secret(rng: Random, table: RandomTable, rows: int, what: str) -> list[Any]:
    """Marked words, or numbers of nine digits; some of them several times."""
    if rng.random() < 0.3:
        numbers = [700_000_000 + rng.randrange(10**8) for _ in range(rows)]
        table.hidden |= {str(number): what for number in numbers}
        return numbers
    words = [marked(rng, "secret") for _ in range(rng.randint(1, rows))]
    table.hidden |= dict.fromkeys(words, what)
    return [rng.choice(words) for _ in range(rows)]
