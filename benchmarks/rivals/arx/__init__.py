# SPDX-License-Identifier: Apache-2.0
"""ARX, which is in no package registry: built from a copy that the user names in DISCREET_ARX.

DISCREET_ARX is ARX's source folder (with src/main, and libraries below lib), a folder of jars, or a jar. `anonymise`
compiles it once into `benchmarks/rivals/arx/build` (git ignores it), with the driver `Anonymize.java`, and has rows
anonymised as a process. `python -m benchmarks.rivals.arx` only builds, and says what was built.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.rivals import AbsentError
from discreet import Roles, Table
from discreet.data.column import Column
from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.hierarchy import Hierarchy

VARIABLE = "DISCREET_ARX"
METRICS = ("classification", "loss")
BUILD = Path(__file__).parent / "build"
_DRIVER = Path(__file__).parent / "Anonymize.java"
_MISSING = "ARX takes no missing cells here"


@dataclass(frozen=True)
class Released:
    """What ARX published, and what it takes to bring further rows to that form."""

    table: Table
    hierarchies: dict[str, Hierarchy]
    levels: dict[str, int]
    seconds: list[float]
    cpu: list[float]

    @property
    def suppressed(self) -> float:
        """The share of rows of which nothing is left."""
        left = np.zeros(len(self.table), dtype=bool)
        for name in self.levels:
            column = self.table.column(name)
            left |= np.array([text != "*" for text in column.texts])[column.codes]
        return float(1 - left.mean())

    def recode(self, rows: Table) -> Table:
        """Further rows on the same levels; a row that is like no published one is suppressed, as ARX would."""
        columns = {name: self.hierarchies[name].generalise(rows.column(name), n) for name, n in self.levels.items()}
        cells = {name: np.array(column.to_arrow().to_pylist(), dtype=object) for name, column in columns.items()}
        known = set(zip(*(self.table.column(name).to_arrow().to_pylist() for name in cells), strict=True))
        strange = np.array([row not in known for row in zip(*cells.values(), strict=True)])
        for texts in cells.values():
            texts[strange] = "*"
        return Table.of({name: texts.tolist() for name, texts in cells.items()})


def anonymise(
    table: Table, roles: Roles, k: int, metric: str, *, runs: int = 1, limit: float = 600, source: str | None = None
) -> Released:
    """ARX's release, with the hierarchies that ours has by default; AbsentError with the reason where there is none."""
    classpath = build(source)
    quasi, target = list(roles.quasi), str(roles.target)
    if any(table.column(name).has_missing for name in (*quasi, target)):
        raise AbsentError(_MISSING)
    hierarchies = {name: automatic(table.column(name)) for name in quasi}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        cells = [_cells(hierarchies[name].generalise(table.column(name), 0)) for name in quasi]
        _write(place / "rows.csv", [[*quasi, target], *zip(*cells, _cells(table.column(target)), strict=True)])
        (place / "columns.txt").write_text("\n".join(quasi) + "\n", encoding="utf-8")
        for number, name in enumerate(quasi):
            _write(place / f"{number}.csv", hierarchies[name].paths)
        command = ["java", "-cp", os.pathsep.join(map(str, classpath)), "Anonymize", folder, target, str(k), metric]
        said = json.loads(_run([*command, str(runs)], "ARX", limit).splitlines()[-1])
        with (place / "released.csv").open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file, delimiter=";")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    released = Table.of({name: columns[name] for name in (*quasi, target)}, kinds=dict.fromkeys(quasi, "category"))
    return Released(released, hierarchies, dict(zip(quasi, said["levels"], strict=True)), said["seconds"], said["cpu"])


def build(source: str | None = None) -> list[Path]:
    """The class path of ARX and the driver, compiled where that has not been done."""
    given = source or os.environ.get(VARIABLE)
    if not given:
        raise AbsentError(f"ARX's source was not given ({VARIABLE})")
    root = Path(given).resolve()
    if not root.exists():
        raise AbsentError(f"{VARIABLE} names nothing that exists")
    if not shutil.which("javac") or not shutil.which("java"):
        raise AbsentError("ARX needs a Java compiler, and there is none")
    sources = sorted((root / "src" / "main").rglob("*.java"))
    jars = [root] if root.is_file() else sorted((root / "lib" if sources else root).rglob("*.jar"))
    if not sources and not jars:
        raise AbsentError(f"{VARIABLE} names neither ARX's source nor its jar")
    target = BUILD / _key(root, [*sources, *jars, _DRIVER])
    if not (target / ".ready").exists():
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        _copy_resources(root / "src" / "main", target)
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as listed:
            listed.writelines(f'"{path}"\n' for path in [*sources, _DRIVER])
            listed.flush()
            options = ["-nowarn", "-encoding", "UTF-8", "-d", target, "-cp", os.pathsep.join(map(str, [target, *jars]))]
            _run(
                ["javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", *map(str, options), f"@{listed.name}"],
                "the Java compiler",
                600,
            )
        (target / ".ready").touch()
    return [target, *jars]


def _key(root: Path, files: Iterable[Path]) -> str:
    """A name for what these files make, which changes when they do."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(json.dumps([str(root), stamps]).encode()).hexdigest()[:16]


def _copy_resources(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file() and path.suffix != ".java":
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def _cells(column: Column) -> list[str]:
    return np.array(column.texts, dtype=object)[column.codes].tolist()


def _write(path: Path, rows: Iterable[Iterable[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def _run(command: list[str], who: str, limit: float) -> str:
    try:
        done = subprocess.run(command, check=True, capture_output=True, timeout=limit, encoding="utf-8")
    except subprocess.TimeoutExpired:
        raise AbsentError(f"{who} did not finish in {limit:.0f} s") from None
    except subprocess.CalledProcessError as error:
        first = next((line for line in error.stderr.splitlines() if "rror" in line or "xception" in line), "")
        raise AbsentError(f"{who} failed: {first.strip()[:200]}") from None
    return done.stdout
