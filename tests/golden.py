# SPDX-License-Identifier: Apache-2.0
"""Hashes of what seeded releases publish, for every instance of every method: nothing of it changes by accident.

`python tests/golden.py record` writes golden.json anew and lists what differs from the one before; `check` only lists.
The bytes of data and the content of certificates are kept apart, field by field, so that a new form of the certificate
does not hide a change of the data. Of Parquet the cells count, in the order of rows: its bytes are pyarrow's.
Differential privacy takes no seed in a release: its methods are simulated, and of a release the structure is kept.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from discreet import samples
from discreet.errors import DiscreetError, PrivacyLeakWarning
from instances import INSTANCES, PERSON_ROLES, ROLES, baskets, people

KEPT = Path(__file__).with_name("golden.json")
SEED = 20_240_229
CHANGING = ("discreet", "format", "id", "seal", "files")  # of certificates: what names the version and the bytes
Parts = dict[str, str]  # a hash for each part of what is published


# -- data --------------------------------------------------------------------------------------------------------------


@cache
def table(name: str) -> tuple[Any, Any]:
    """Data and roles, or a matrix and its labels."""
    if name == "people":
        return people(), ROLES
    if name == "visits":
        return people(), PERSON_ROLES
    if name == "baskets":
        return baskets()
    if name == "market":
        return samples.quest(rows=1200, items=40, patterns=60, classes=2, random_state=3).data, None
    sample = {
        "clinic": lambda: samples.clinic(rows=2000, random_state=7),
        "boards": samples.tic_tac_toe,
        "waves": lambda: samples.waveform(rows=400, random_state=1),
    }[name]()
    return sample.data, sample.roles


TABLES = {
    "table": ("people", "visits"),
    "model": ("people", "visits"),
    "baskets": ("baskets",),
    "sketches": ("baskets",),
}
LARGER = {"table": ("clinic", "boards", "waves"), "model": ("clinic", "boards", "waves"), "baskets": ("market",)}
SLOW = ("breach-aware", "optimal", "maximal-frequent")  # on larger tables
LEVELS = {"people": (3, 10), "visits": (5,), "baskets": (3, 10), "clinic": (5, 50), "boards": (5,), "waves": (10,)}


# -- hashes ------------------------------------------------------------------------------------------------------------


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def of_plain(value: Any) -> str:
    """The hash of plain values; of numbers the digits that every machine agrees on."""
    return sha(json.dumps(rounded(value), sort_keys=True, default=str).encode())[:16]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {str(name): rounded(part) for name, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, (list, tuple)) else value


def structure(value: Any) -> Any:
    """Names and types, without what they hold."""
    if isinstance(value, dict):
        return {name: structure(part) for name, part in value.items()}
    return [structure(value[0])] if isinstance(value, list) and value else type(value).__name__


def of_folder(folder: Path) -> Parts:
    """Of a published folder: each file, cells instead of the bytes of Parquet, each field of the certificate."""
    parts: Parts = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            parts[f"{path.name} (cells)"] = of_plain(pq.read_table(path).to_pydict())
        elif path.name == "certificate.json":
            said = json.loads(path.read_bytes())
            parts |= {f"certificate: {name}": of_plain(said[name]) for name in said if name not in CHANGING}
        else:
            parts[path.name] = sha(path.read_bytes())
    return parts


# -- releases ----------------------------------------------------------------------------------------------------------


def released(method: Any, data: Any, roles: Any) -> Parts:
    """A seeded release, saved in both formats."""
    release = method.release(data, roles)
    with tempfile.TemporaryDirectory() as folder:
        found = of_folder(release.save(Path(folder) / "csv") / "release")
        if release.shape == "table":
            other = of_folder(release.save(Path(folder) / "parquet", format="parquet") / "release")
            found |= {name: value for name, value in other.items() if "(cells)" in name}
    return found


def simulated(name: str, shape: str) -> dict[str, Parts]:
    """What a method of differential privacy draws with a seed; and the structure of what it releases without one."""
    instance, (X, y) = INSTANCES[name], table("baskets")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        method = instance.make(5, SEED)
        if shape == "synthetic":
            drawn = {"people": method.simulate(*table("people")).table.to_arrow().to_pydict()}
        elif shape == "names":
            drawn = {
                "people": method.simulate(*table("people")),
                "baskets": np.asarray(method.fit(X, y).order_).tolist(),
            }
        else:
            drawn = {"baskets": [float(f"{weight:.6g}") for weight in method.fit(X, y).weights_]}
    found = {f"{place}, simulated": {"drawn": of_plain(value)} for place, value in drawn.items()}
    data = table("people") if shape == "synthetic" else (X, y)
    with tempfile.TemporaryDirectory() as folder:
        public = instance.make(5).release(*data).save(Path(folder) / "out") / "release"
        said = json.loads((public / "certificate.json").read_bytes())
        parts = {f"certificate: {key}": of_plain(structure(said[key])) for key in said if key not in CHANGING}
        if shape != "synthetic":
            parts["document"] = of_plain(structure(json.loads((public / f"{shape}.json").read_bytes())))
    return found | {"structure": parts}


def cases(name: str) -> Iterator[tuple[str, Callable[[], dict[str, Parts]]]]:
    """What is recorded of an instance, and how it is made."""
    instance = INSTANCES[name]
    for shape in instance.shapes:
        if shape not in TABLES:
            yield shape, lambda shape=shape: simulated(name, shape)  # type: ignore[misc]
            continue
        larger = () if name.startswith(SLOW) else LARGER.get(shape, ())
        for place in (*TABLES[shape], *larger):
            for k in LEVELS.get(place, (5,)):
                key = f"{place}, k = {k}"
                yield key, lambda k=k, key=key, place=place: {key: made(instance.make(k, SEED), place)}  # type: ignore[misc]


def made(method: Any, place: str) -> Parts:
    """The release, or the refusal: that is kept, too."""
    try:
        return released(method, *table(place))
    except DiscreetError as error:
        return {"refused": type(error).__name__}


def measured(name: str) -> dict[str, Parts]:
    """All that is recorded of an instance."""
    found: dict[str, Parts] = {}
    for _, make in cases(name):
        found |= make()
    return found


def differences(before: dict[str, Parts], after: dict[str, Parts]) -> list[str]:
    """What differs between two records of an instance, a line for each release."""
    lines = []
    for case in sorted({*before, *after}):
        old, new = before.get(case), after.get(case)
        if old is None or new is None:
            lines.append(f"{case}: {'new' if old is None else 'gone'}")
        elif old != new:
            parts = [part for part in sorted({*old, *new}) if old.get(part) != new.get(part)]
            marks = {True: "", False: " (new)"}
            told = [f"{part}{' (gone)' if part not in new else marks[part in old]}" for part in parts]
            lines.append(f"{case}: {', '.join(told)}")
    return lines


def kept() -> dict[str, dict[str, Parts]]:
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}


def main(arguments: list[str]) -> int:
    if arguments not in (["record"], ["check"]):
        sys.stderr.write("python tests/golden.py record | check\n")
        return 2
    before, after, lines = kept(), {}, []
    for name in INSTANCES:
        after[name] = measured(name)
        lines += [f"{name}, {line}" for line in differences(before.get(name, {}), after[name])]
    lines += [f"{name}: gone" for name in before if name not in INSTANCES]
    sys.stdout.write("\n".join([*lines, f"{len(lines)} releases differ from {KEPT.name}."]) + "\n")
    if arguments == ["record"]:
        KEPT.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
