# SPDX-License-Identifier: Apache-2.0
"""The page: every figure of every paper, ours beside it, and a sentence wherever they differ by more than noise.

It is made from the files `published.toml`, `measured.json` and `reproduce.py` alone, so that it can be checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.reproduction import papers
from benchmarks.reproduction.kept import Store
from benchmarks.reproduction.papers import HERE, PAPERS, Paper
from benchmarks.reproduction.published import Key, Printed, Published, read
from benchmarks.reproduction.units import IN_WORDS, Found, Row, Value, Why, differs, why

HEAD = """# The papers' figures, made again

Every table of the five papers that has numbers, and what they state in words. *Ours* is measured under the paper's own
protocol as far as it is told, *honest* under one in which the rows that are tested on had no say. *Noise* is half the
width of a 95 % interval of ours. A letter stands wherever ours and the published figure differ by more than noise and
rounding; the sentence with that letter says why, or that it is not known. A dash: not printed, or without meaning.

`python -m benchmarks.reproduce --write-docs` makes this page from `benchmarks/*/published.toml`,
`benchmarks/*/measured.json` and the sentences in `benchmarks/*/reproduce.py`. `make reproduce` measures everything anew
where it is not kept, which takes hours, and needs the folder of the papers' data sets in `DISCREET_DATA`.
"""
NOT_MEASURED = "not measured"
UNEXPLAINED = "The reason is not known."


class Line(NamedTuple):
    """A figure: where, what is published, what was measured, and why they differ if they do."""

    key: Key
    published: Printed | None
    measured: Row | None
    why: Why | None

    @property
    def differs(self) -> bool:
        if self.published is None or self.measured is None:
            return False
        return differs(self.published, self.measured.ours, self.measured.noise)


class Part(NamedTuple):
    """What a folder adds to a paper."""

    folder: str
    published: Published
    rows: dict[Key, Row]
    module: Any


def paper_of(name: str) -> Paper:
    return next(paper for paper in PAPERS if name == paper.name or name in paper.folders)


def part(folder: str, here: Path = HERE) -> Part:
    made, kept = papers.module(folder), Store(folder, here).read()
    wanted = [unit.key for unit in made.units()]
    rows = {row.key: row for key in wanted if key in kept for row in kept[key].rows}
    return Part(folder, read(folder, here), rows, made)


def lines(paper: Paper, here: Path = HERE) -> dict[str, list[Line]]:
    """The figures of a paper by table; statements come last."""
    parts = [part(folder, here) for folder in paper.folders]
    found = Found(row for each in parts for row in each.rows.values())
    for each in parts:
        found.rows |= {row.key: row for row in derived(each.module, found)}
    tables: dict[str, list[Line]] = {}
    for each in parts:
        for table in each.published.titles:
            tables.setdefault(table, [])
        for key, value in each.published.figures.items():
            tables[key.table].append(Line(key, value, found.rows.get(key), why(each.module.WHY, key)))
    known = {line.key for of in tables.values() for line in of}
    aside = {row for each in parts for row in getattr(each.module, "ASIDE", ())}
    for key, row in found.rows.items():
        if key not in known and key.table in tables and key.row not in aside:
            tables[key.table].append(Line(key, None, row, None))
    ordered = dict(sorted(tables.items(), key=lambda item: _order(item[0])))
    in_words = [line for each in parts for line in _in_words(each, found)]
    return {**ordered, IN_WORDS: in_words} if in_words else ordered


def derived(module: Any, found: Found) -> list[Row]:
    return module.derived(found) if hasattr(module, "derived") else []


def _in_words(part: Part, found: Found) -> Iterator[Line]:
    for statement in part.published.statements:
        key = Key(IN_WORDS, statement.name, "holds")
        yield Line(key, "yes", found.rows.get(key), why(part.module.WHY, key))


def _order(table: str) -> tuple[int, float]:
    """Tables first, then figures, then sections, each by number."""
    kind = next((place for place, name in enumerate(("Table", "Figure", "Section")) if table.startswith(name)), 3)
    number = re.search(r"\d+(\.\d+)?", table)
    return kind, float(number[0]) if number else 0.0


# -- as Markdown ------------------------------------------------------------------------------------------------------


def page(here: Path = HERE) -> str:
    chapters = [HEAD]
    for paper in PAPERS:
        notes = [papers.module(folder).HONEST for folder in paper.folders]
        head = f"## {paper.name}\n\n{paper.cited}.\n\n" + "\n".join(dict.fromkeys(notes)) + "\n"
        chapters.append(head)
        chapters += [text for _, text in sections(paper, here)]
    return "\n".join(chapters)


def sections(paper: Paper, here: Path = HERE) -> Iterator[tuple[str, str]]:
    """The tables of a paper by name, each with its heading and the command that makes it."""
    titles, says, made = {}, {}, set()
    for folder in paper.folders:
        made |= {unit.table for unit in papers.module(folder).units()}
        published = read(folder, here)
        for table, title in published.titles.items():
            titles.setdefault(table, title)
        says |= {each.name: each for each in published.statements}
    for table, found in lines(paper, here).items():
        title = f"{table}: {titles[table]}" if table in titles else f"What the paper of {paper.name} states in words"
        asked = f' --table "{table}"' if table in made else ""  # what follows from other tables needs them all
        command = f"```console\n$ discreet reproduce {paper.name}{asked}\n```"
        body, notes = _statements(found, says) if table == IN_WORDS else _figures(found)
        yield table, "\n".join([f"### {title}\n", command, "", body, *([""] if notes else []), *notes, ""])


def _figures(found: list[Line]) -> tuple[str, list[str]]:
    letters = Letters()
    if not found:
        return "Nothing of this is measured yet.", []
    text = ["| row | column | published | ours | noise | honest | |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for line in found:
        ours, honest, noise = _shown(line)
        cells = [line.key.row, line.key.column, "–" if line.published is None else str(line.published)]
        text.append(_line(*cells, ours, noise, honest, letters.of(line)))
    return "\n".join(text), letters.sentences


def _statements(found: list[Line], says: dict) -> tuple[str, list[str]]:
    letters = Letters()
    text = ["| where | what is said | ours | honest | |", "| --- | --- | --- | --- | --- |"]
    for line in found:
        ours, honest, _ = _shown(line)
        said = says[line.key.row]
        text.append(_line(said.where, said.says, ours, honest, letters.of(line)))
    return "\n".join(text), letters.sentences


class Letters:
    """A letter for each sentence, in the order in which they are needed."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def of(self, line: Line) -> str:
        if not (line.differs or (line.why and line.why.always)):
            return ""
        sentence = line.why.sentence if line.why else UNEXPLAINED
        number = len(self._found)
        letter = chr(97 + number % 26) * (1 + number // 26)
        return f"({self._found.setdefault(sentence, letter)})"

    @property
    def sentences(self) -> list[str]:
        return [f"- ({letter}) {sentence}" for sentence, letter in self._found.items()]


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
