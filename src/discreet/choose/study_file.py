# SPDX-License-Identifier: Apache-2.0
"""The results file of a study: one line for each candidate, with its name, method, parameters and measures.

JSON holds the whole model `Results`. Parquet has the columns name, method, parameters (JSON text) and one numeric
column for each measure; the meanings of measures are in the metadata of its schema. CSV has the same columns and no
metadata: measures are known by name (see MEASURES in choice.py), or the reader states which direction is better. An
empty cell, or NaN, is a measure that a candidate lacks. A column of text is a remark, not a measure.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from discreet.choose.choice import Candidate, Measure
from discreet.choose.criteria import repeated
from discreet.choose.reference_lines import ORIGINAL, line_named
from discreet.choose.release_candidates import from_folder
from discreet.data.formulas import neutral, plain
from discreet.errors import DataError, listing, shown
from discreet.release.certificate import CERTIFICATE

RESULTS = ("results.json", "results.parquet", "results.csv")
BASELINE = "baseline"  # default name of the candidate that others are compared with, where there is no original
_SHAPE = ' Such a file holds {"candidates": [{"name": "a", "measures": {"utility": 0.8, "size": 3}}]}.'
_METADATA = b"discreet.results"
_PLAIN = ("name", "method", "parameters")


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Result(_Record):
    """One candidate of a study."""

    name: str = Field(min_length=1)
    method: str = ""
    parameters: dict[str, Any] = {}
    measures: dict[str, FiniteFloat] = {}


class Results(_Record):
    """A study: its candidates, the meanings of their measures, and what they are compared with.

    `lines` are the original, guessing and the like (reference_lines.py), which are no candidates; a candidate of such a
    name becomes a line, whatever kind of file it was in. `baseline` names a candidate for plots, if there is no line.
    """

    format: Literal[1] = 1
    candidates: tuple[Result, ...]
    measures: dict[str, Measure] = {}
    baseline: str | None = None
    lines: tuple[Result, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _lines_apart(cls, content: Any) -> Any:
        if not isinstance(content, dict) or not isinstance(content.get("candidates"), (list, tuple)):
            return content
        plain = [one.model_dump() if isinstance(one, Result) else one for one in content["candidates"]]
        made = [bool(isinstance(one, dict) and one.get("method")) for one in plain]
        candidates, lines, baseline = [], [*content.get("lines", ())], content.get("baseline")
        for one, by_method in zip(plain, made, strict=True):
            name = one.get("name") if isinstance(one, dict) else None
            line = line_named(name, made=by_method, others_made=any(made)) if isinstance(name, str) else None
            if line is None:
                candidates.append(one)
            else:
                lines.append(one | {"name": line})
                baseline = None if baseline == name else baseline
        return content | {"candidates": candidates, "lines": lines, "baseline": baseline}

    @model_validator(mode="after")
    def _names(self) -> Results:
        names = [result.name for result in (*self.candidates, *self.lines)]
        if twice := repeated(names):
            raise ValueError(f"several candidates have the same name: {listing(twice)}")
        if self.baseline is not None and self.baseline not in names:
            raise ValueError(f"the baseline {shown(self.baseline)} is no candidate")
        return self

    @classmethod
    def of(cls, candidates: Iterable[Candidate], baseline: str | None = None) -> Results:
        """The results of candidates and lines, whose meanings of measures must agree."""
        results: list[Result] = []
        measures: dict[str, Measure] = {}
        for candidate in candidates:
            numbers = {name: float(value) for name, value in candidate.measures.items()}
            results.append(
                Result(
                    name=candidate.name,
                    method=candidate.method,
                    measures=numbers,
                    parameters=dict(candidate.parameters),
                )
            )
            for name, meaning in candidate.meanings.items():
                if measures.setdefault(name, meaning) != meaning:
                    raise DataError(f"The candidates do not mean the same by the measure {shown(name)}.")
        return cls(candidates=tuple(results), measures=measures, baseline=baseline)

    def to_candidates(self) -> tuple[Candidate, ...]:
        return tuple(map(self._candidate, self.candidates))

    def to_lines(self) -> dict[str, Candidate]:
        return {result.name: self._candidate(result) for result in self.lines}

    def _candidate(self, result: Result) -> Candidate:
        meanings = {name: meaning for name, meaning in self.measures.items() if name in result.measures}
        return Candidate(result.name, result.measures, result.method, result.parameters, meanings)

    def to_json(self) -> bytes:
        return (json.dumps(self.model_dump(mode="json"), indent=1) + "\n").encode()

    def write(self, path: Path) -> None:
        """Write a .json, .parquet or .csv file, by its extension."""
        if path.suffix == ".json":
            path.write_bytes(self.to_json())
            return
        every = (*self.lines, *self.candidates)
        measured = (name for result in every for name in result.measures)
        names = list(dict.fromkeys([*self.measures, *measured]))  # also measures that no candidate has
        if reserved := set(names) & set(_PLAIN):
            raise DataError(
                f"A measure cannot be called {listing(sorted(reserved))}: the columns beside the measures are."
            )
        rows = [
            {"name": result.name, "method": result.method, "parameters": json.dumps(result.parameters)}
            | {name: result.measures.get(name) for name in names}
            for result in every
        ]
        if path.suffix == ".parquet":
            types = [*((name, pa.string()) for name in _PLAIN), *((name, pa.float64()) for name in names)]
            metadata = self.model_dump_json(include={"format", "measures", "baseline"})
            schema = pa.schema(types, metadata={_METADATA: metadata.encode()})
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
        elif path.suffix == ".csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow([neutral(name) for name in (*_PLAIN, *names)])
                writer.writerows([neutral(v) if isinstance(v, str) else v for v in row.values()] for row in rows)
        else:
            raise DataError(f"Results are written as .json, .parquet or .csv; {shown(path.name)} ends otherwise.")

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read one of the three kinds of file."""
        readers = {".json": _read_json, ".parquet": _read_parquet, ".csv": _read_csv}
        if path.suffix not in readers:
            raise DataError(f"Results are read from .json, .parquet or .csv; {shown(path.name)} ends otherwise.")
        try:
            return cls.model_validate(readers[path.suffix](path))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            what = ": ".join(
                filter(None, (".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")))
            )
            hint = _SHAPE if path.suffix == ".json" else ""
            raise DataError(f"{shown(path.name)} is not a file of results: {what}.{hint}") from None
        except (OSError, ValueError, pa.ArrowException, csv.Error) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{shown(path.name)} cannot be read as results ({type(error).__name__}).") from None


class StudyRead(NamedTuple):
    """The candidates of a study, the lines they are compared with, and the candidate that is named as baseline."""

    candidates: tuple[Candidate, ...]
    lines: dict[str, Candidate]
    baseline: str | None = None


def read_study(folder: Path) -> StudyRead:
    """The candidates of a study, and what they are compared with.

    `folder` is a results file, or a folder with one (RESULTS), with saved releases anywhere below it, or with both.
    Releases are verified. A release that has a line in the file is skipped: the line counts.
    """
    if folder.is_file():
        return _candidates(Results.read(folder), [])
    if not folder.is_dir():
        raise DataError(f"There is no study {shown(folder.name)}. Pass a folder of releases, or a file of results.")
    files = [folder / name for name in RESULTS if (folder / name).is_file()]
    if len(files) > 1:
        raise DataError(
            f"{shown(folder.name)} holds several files of results: {listing(p.name for p in files)}. Name one."
        )
    results = Results.read(files[0]) if files else Results(candidates=())
    spoken_for = {result.name for result in results.candidates}
    releases = []
    for path in sorted(folder.rglob(CERTIFICATE)):
        published = path.parent
        saved = published.parent if published.name == "release" and published != folder else published
        name = saved.relative_to(folder).as_posix() if saved != folder else _own_name(folder)
        if not spoken_for & {name, saved.name}:
            releases.append(from_folder(saved, name=name))
    if not results.candidates and not releases:
        raise DataError(f"{shown(folder.name)} holds no candidates: no saved release, and none of {listing(RESULTS)}.")
    return _candidates(results, releases)


def _own_name(folder: Path) -> str:
    """The name of a folder that is itself a release: that of the folder passed to `save`."""
    whole = folder.resolve()
    return whole.parent.name if whole.name == "release" else whole.name


def _candidates(results: Results, releases: Sequence[Candidate]) -> StudyRead:
    candidates, lines = (*results.to_candidates(), *releases), results.to_lines()
    named = any(candidate.name == BASELINE for candidate in candidates) and ORIGINAL not in lines
    return StudyRead(candidates, lines, results.baseline or (BASELINE if named else None))


# -- files ---------------------------------------------------------------------------------------------------------


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _read_parquet(path: Path) -> dict[str, Any]:
    table = pq.read_table(path)
    metadata = json.loads((table.schema.metadata or {}).get(_METADATA, b"{}"))
    return metadata | {"candidates": _results(path, table.column_names, table.to_pylist())}


def _read_csv(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, restval="")
        reader.fieldnames = names = [plain(name) for name in reader.fieldnames or ()]
        rows = list(reader)
    if any(None in row for row in rows):
        raise DataError(f"{shown(path.name)} has lines with more cells than the first line has names.")
    return {"candidates": _results(path, names, [{n: _cell(n, text) for n, text in row.items()} for row in rows])}


def _cell(name: str, text: str) -> Any:
    if name in _PLAIN:
        return plain(text)
    try:
        return float(text) if text.strip() else None
    except ValueError:
        return text


def _results(path: Path, names: list[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines as candidates; columns with any text are remarks."""
    if "name" not in names:
        raise DataError(f"{shown(path.name)} has no column 'name'. It has {listing(names)}.")
    if len(set(names)) < len(names):
        raise DataError(f"{shown(path.name)} has two columns of the same name.")
    numeric = [name for name in names if name not in _PLAIN and all(_is_number(row[name]) for row in rows)]
    return [
        {
            "name": row["name"],
            "method": row.get("method") or "",
            "parameters": json.loads(row.get("parameters") or "{}"),
            "measures": {name: row[name] for name in numeric if row[name] is not None and row[name] == row[name]},
        }
        for row in rows
    ]


def _is_number(cell: Any) -> bool:
    return cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool))
