# SPDX-License-Identifier: Apache-2.0
"""The page: every figure of every paper, ours beside it, and a sentence wherever they differ by more than noise.

It is made from the files `published.toml`, `measured.json` and `reproduce.py`, from the hashes of data in `data.json`
and from the code that units rest on, so that it can be checked, and so that it says which figures are stale.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.reproduction import papers
from benchmarks.reproduction.kept import Store, origin
from benchmarks.reproduction.papers import HERE, PAPERS, Paper
from benchmarks.reproduction.published import Key, Printed, Published, read
from benchmarks.reproduction.units import IN_WORDS, Found, Row, Unit, Value, Why, differs, why

HEAD = """# The papers' figures, reproduced

Every table of the five papers that has numbers, and their statements in words. *Ours* is measured under the paper's own
protocol as far as the paper describes it, *honest* under one that keeps test rows out of all decisions. *Noise* is half
the width of a 95 % interval of ours. A letter marks every difference between ours and the published figure that exceeds
noise and rounding; the sentence with that letter gives the reason, or says that it is unknown. A dash: not printed, or
not meaningful.

`python -m benchmarks.reproduce page` generates this page from `benchmarks/*/published.toml`,
`benchmarks/*/measured.json` and the sentences in `benchmarks/*/reproduce.py`. `make reproduce` measures everything that
is missing or stale, which may take hours, and needs the folder of the papers' data sets in `DISCREET_DATA`.

<!-- no command of this page is run: measuring takes hours and needs the papers' data sets; \
tests/benchmarks/test_reproduction.py looks each table up -->
"""
HOW = """Each recorded figure carries a hash of the code and one of the data that it came from. Code: the functions,
classes and constants of the project that the measuring function uses, directly or not; comments, docstrings, formatting
and the files that hold the definitions do not count. Data: the files that are read. If either has changed since, the
figure is stale and marked †, and so is everything derived from it. Library versions are recorded with the figures but
make none stale.
"""
NOT_MEASURED = "not measured"
UNEXPLAINED = "The reason is unknown."
NO_RUN = "It has not been run yet."
MARK = "†"
LETTERS = 26


class Line(NamedTuple):
    """A figure: where, what is published, what was measured, why they differ if they do, and what has changed since."""

    key: Key
    published: Printed | None
    measured: Row | None
    why: Why | None
    stale: str = ""

    @property
    def differs(self) -> bool:
        if self.published is None or self.measured is None:
            return False
        return differs(self.published, self.measured.ours, self.measured.noise)


class Part(NamedTuple):
    """What a folder adds to a paper: its rows, what has changed since those that are stale, and units without any."""

    folder: str
    published: Published
    rows: dict[Key, Row]
    stale: dict[Key, str]
    left: list[Unit]
    module: Any


def paper_of(name: str) -> Paper:
    return next(paper for paper in PAPERS if name == paper.name or name in paper.folders)


def part(folder: str, here: Path = HERE) -> Part:
    made, kept = papers.module(folder), Store(folder, here).read()
    rows: dict[Key, Row] = {}
    stale: dict[Key, str] = {}
    left = []
    for unit in made.units():
        if unit.key not in kept:
            left.append(unit)
            continue
        changed = kept[unit.key].stale(origin(unit))
        for row in kept[unit.key].rows:
            rows[row.key] = row
            if changed:
                stale[row.key] = changed
    return Part(folder, read(folder, here), rows, stale, left, made)


class Chapter(NamedTuple):
    """A paper: its parts, all that was measured and follows, and what has changed since what is stale."""

    paper: Paper
    parts: list[Part]
    found: Found
    stale: dict[Key, str]


def chapter(paper: Paper, here: Path = HERE) -> Chapter:
    parts = [part(folder, here) for folder in paper.folders]
    return Chapter(paper, parts, *everything(parts))


def lines(of: Chapter) -> dict[str, list[Line]]:
    """The figures of a paper by table; statements come last."""
    _, parts, found, stale = of
    tables: dict[str, list[Line]] = {}
    for each in parts:
        for table in each.published.titles:
            tables.setdefault(table, [])
        for key, value in each.published.figures.items():
            line = Line(key, value, found.rows.get(key), why(each.module.WHY, key), stale.get(key, ""))
            tables[key.table].append(line)
    known = {line.key for of in tables.values() for line in of}
    aside = {row for each in parts for row in getattr(each.module, "ASIDE", ())}
    for key, row in found.rows.items():
        if key not in known and key.table in tables and key.row not in aside:
            tables[key.table].append(Line(key, None, row, None, stale.get(key, "")))
    ordered = dict(sorted(tables.items(), key=lambda item: _order(item[0])))
    in_words = [line for each in parts for line in _in_words(each, found, stale)]
    return {**ordered, IN_WORDS: in_words} if in_words else ordered


def everything(parts: list[Part]) -> tuple[Found, dict[Key, str]]:
    """What was measured and what follows from it; and what has changed since those that are stale.

    What follows is stale unless it is the same without the stale figures.
    """
    rows = {key: row for each in parts for key, row in each.rows.items()}
    stale = {key: changed for each in parts for key, changed in each.stale.items()}
    found, fresh = Found(rows.values()), Found(row for key, row in rows.items() if key not in stale)
    changed = " and ".join(sorted({word for each in stale.values() for word in each.split(" and ")}))
    for each in parts:
        same = {row.key: row for row in derived(each.module, fresh)} if stale else {}
        for row in derived(each.module, found):
            found.rows[row.key] = row
            if stale and same.get(row.key) != row:
                stale[row.key] = changed
        fresh.rows |= {key: row for key, row in same.items() if key not in stale}
    return found, stale


def derived(module: Any, found: Found) -> list[Row]:
    return module.derived(found) if hasattr(module, "derived") else []


def _in_words(part: Part, found: Found, stale: dict[Key, str]) -> Iterator[Line]:
    for statement in part.published.statements:
        key = Key(IN_WORDS, statement.name, "holds")
        yield Line(key, "yes", found.rows.get(key), why(part.module.WHY, key), stale.get(key, ""))


def _order(table: str) -> tuple[int, float]:
    """Tables first, then figures, then sections, each by number."""
    kind = next((place for place, name in enumerate(("Table", "Figure", "Section")) if table.startswith(name)), 3)
    number = re.search(r"\d+(\.\d+)?", table)
    return kind, float(number[0]) if number else 0.0


# -- as Markdown ------------------------------------------------------------------------------------------------------


def page(here: Path = HERE) -> str:
    chapters = [chapter(paper, here) for paper in PAPERS]
    text = [HEAD, _state(chapters, here)]
    for each in chapters:
        notes = [filled(part.module.HONEST, each.found) for part in each.parts]
        paper = each.paper
        text.append(f"## {paper.name}\n\n{paper.cited}.\n\n" + "\n".join(dict.fromkeys(notes)) + "\n")
        text += [section for _, section in sections(each)]
    return "\n".join(text)


def _state(chapters: list[Chapter], here: Path) -> str:
    """How many figures are current, and every unit that was never measured."""
    text = ["## Kept figures: current, stale, not measured\n", HOW]
    text.append(_line("paper", "figures", "current", f"stale {MARK}", NOT_MEASURED))
    text.append(_line(*["---"] * 5))
    whole: Counter[str] = Counter()
    left: list[str] = []
    for of in chapters:
        counts = Counter(state_of(line) for table in lines(of).values() for line in table)
        whole += counts
        text.append(_counted(of.paper.name, counts))
        left += [_left(of.paper, part, unit) for part in of.parts for unit in part.left]
    text += [_counted("all", whole), ""]
    text += [f"Measured with {_versions(here)}.", ""]
    if left:
        text += ["Units without a measurement; their figures are missing below:", "", *left, ""]
    else:
        text += ["Every unit of every paper is measured.", ""]
    return "\n".join(text)


def _counted(name: str, counts: Counter[str]) -> str:
    return _line(name, *(str(n) for n in (counts.total(), *(counts[of] for of in ("current", "stale", NOT_MEASURED)))))


def state_of(line: Line) -> str:
    return NOT_MEASURED if line.measured is None else "stale" if line.stale else "current"


def _left(paper: Paper, part: Part, unit: Unit) -> str:
    reasons: dict[str, str] = getattr(part.module, "NOT_RUN", {})
    reason = next((text for pattern, text in reasons.items() if fnmatchcase(unit.name, pattern)), NO_RUN)
    return (
        f'- {paper.name}, {unit.name}. {reason} `discreet reproduce {part.folder} --table "{unit.table}"` measures it.'
    )


def _versions(here: Path) -> str:
    """Of each library the versions that kept figures were measured with."""
    found: dict[str, set[str]] = {}
    for folder in papers.folders():
        for each in Store(folder, here).read().values():
            for name, version in each.versions.items():
                found.setdefault(name, set()).add(version)
    return ", ".join(f"{name} {' and '.join(sorted(of))}" for name, of in found.items()) or "versions that are not kept"


def filled(sentence: str, found: Found) -> str:
    """A sentence with its figures: {Table 3|Adult Data|density %|.1f} is what was measured there.

    >>> filled("{Table 3|Adult|ones %|.1f} % are ones.", Found([Row("Table 3", "Adult", "ones %", 31.88)]))
    '31.9 % are ones.'
    """
    return re.sub(r"\{([^{}|]+)\|([^{}|]+)\|([^{}|]+)\|([^{}|]*)\}", lambda m: _one(found, *m.groups()), sentence)


def _one(found: Found, table: str, row: str, column: str, how: str) -> str:
    try:
        return format(found.ours(table, row, column), how)
    except KeyError:
        return f"({NOT_MEASURED})"


def sections(of: Chapter) -> Iterator[tuple[str, str]]:
    """The tables of a paper by name, each with its heading and the command that makes it."""
    titles, says, made, paper = {}, {}, set(), of.paper
    for each in of.parts:
        made |= {unit.table for unit in each.module.units()}
        for table, title in each.published.titles.items():
            titles.setdefault(table, title)
        says |= {statement.name: statement for statement in each.published.statements}
    for table, found in lines(of).items():
        title = f"{table}: {titles[table]}" if table in titles else f"What the paper of {paper.name} states in words"
        asked = f' --table "{table}"' if table in made else ""  # what follows from other tables needs them all
        asked = f"discreet reproduce {paper.name}{asked}"
        notes = Notes(of.found, asked)
        body = _statements(found, says, notes) if table == IN_WORDS else _figures(found, notes)
        told = notes.sentences
        text = [f"### {title}\n", f"```console\n$ {asked}\n```", "", body, *([""] if told else []), *told, ""]
        yield table, "\n".join(text)


def _figures(found: list[Line], notes: Notes) -> str:
    if not found:
        return "Nothing of this is measured yet."
    text = ["| row | column | published | ours | noise | honest | notes |", f"|{' --- |' * 7}"]
    for line in found:
        ours, honest, noise = _shown(line)
        cells = [line.key.row, line.key.column, "–" if line.published is None else str(line.published)]
        text.append(_line(*cells, ours, noise, honest, notes.of(line)))
    return "\n".join(text)


def _statements(found: list[Line], says: dict, notes: Notes) -> str:
    text = ["| where | what is said | ours | honest | notes |", "| --- | --- | --- | --- | --- |"]
    for line in found:
        ours, honest, _ = _shown(line)
        said = says[line.key.row]
        text.append(_line(said.where, said.says, ours, honest, notes.of(line)))
    return "\n".join(text)


class Notes:
    """A letter for each sentence in the order in which they are needed, and the mark of stale figures."""

    def __init__(self, found: Found, command: str) -> None:
        self._letters: dict[str, str] = {}
        self._stale: dict[str, None] = {}
        self._found, self._command = found, command

    def of(self, line: Line) -> str:
        marks = []
        if line.differs or (line.why and line.why.always):
            sentence = filled(line.why.sentence, self._found) if line.why else UNEXPLAINED
            number = len(self._letters)
            letter = chr(ord("a") + number % LETTERS) * (1 + number // LETTERS)
            marks.append(f"({self._letters.setdefault(sentence, letter)})")
        if line.measured is not None and line.stale:
            self._stale[line.stale] = None
            marks.append(MARK)
        return " ".join(marks)

    @property
    def sentences(self) -> list[str]:
        told = [f"- ({letter}) {sentence}" for sentence, letter in self._letters.items()]
        if self._stale:
            changed = " and ".join(sorted({word for each in self._stale for word in each.split(" and ")}))
            of = {"code": "code", "data": "data", "code and data": "code or data"}[changed]
            told.append(f"- {MARK} Measured with an earlier version of the {of}; `{self._command}` measures it again.")
        return told


def _shown(line: Line) -> tuple[str, str, str]:
    if line.measured is None:
        return NOT_MEASURED, "–", "–"
    row, digits = line.measured, _digits(line.published)
    ours, honest = (_number(value, digits) for value in (row.ours, row.honest))
    noise = f"± {row.noise:.0f}" if row.noise >= 10 else f"± {row.noise:.2g}"
    return ours, honest, noise if row.noise else "–"


def _digits(published: Printed | None) -> int:
    """One more than the paper prints, three where it prints nothing."""
    if isinstance(published, Decimal):
        return 1 - int(published.as_tuple().exponent)
    return 1 if isinstance(published, int) else 3


def _number(value: Value, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, (str, int)):
        return str(value)
    return f"{value:.{1 if abs(value) >= 100 else digits}f}"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def plain(names: Iterable[str], rows: Iterable[Row]) -> str:
    """Rows of a quick slice, with the published figure where there is one; they are not meant to agree."""
    figures = {
        key: value for name in names for folder in paper_of(name).folders for key, value in read(folder).figures.items()
    }
    text = ["| table | row | column | published | ours | honest |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        published = figures.get(row.key)
        shown = _shown(Line(row.key, published, row, None))
        cells = (row.table, row.row, row.column, "–" if published is None else str(published))
        text.append(_line(*cells, shown[0], shown[1]))
    return "\n".join(text)
