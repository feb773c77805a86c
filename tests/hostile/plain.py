# SPDX-License-Identifier: Apache-2.0
"""A release counted again without discreet: JSON, CSV and Parquet as plain Python has them, and the definitions."""

import csv
import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq


def certificate_of(folder):
    return json.loads((folder / "certificate.json").read_text(encoding="utf-8"))


def rows_of(folder):
    """The published rows as dictionaries; of baskets a label and a list of items."""
    if (folder / "data.parquet").exists():
        return pq.read_table(folder / "data.parquet").to_pylist()
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def roles_of(stated):
    roles = defaultdict(list)
    for column in stated["columns"]:
        roles[column["role"]].append(column["name"])
        if column.get("sensitive"):
            roles["sensitive"].append(column["name"])
    return roles


def keeps(folder: Path) -> bool:
    """Whether what is published keeps the promise in its certificate, as far as the published files tell."""
    stated = certificate_of(folder)
    parts = stated["promise"].get("promises", [stated["promise"]])
    return all(_keeps(folder, stated, part) for part in parts)


def _keeps(folder, stated, promise):
    if promise["name"] in ("k-anonymity", "containment", "l-diversity"):
        rows, roles = rows_of(folder), roles_of(stated)
        if stated["shape"] == "baskets":
            rows = [
                {name: int(name in row["items"]) for name in roles["quasi"]} | {"label": row["label"]} for row in rows
            ]
        if not roles["quasi"] or len(rows) != stated["rows"]:
            return False
        return _COUNTS[promise["name"]](rows, roles, promise)
    if promise["name"] == "differential privacy":
        return _private(folder, stated, promise)
    if promise["name"] == "k-anonymous model":
        return _model(folder, promise)
    return _stated(stated, promise)


def group_sizes(rows, names):
    return Counter(tuple(row[name] for name in names) for row in rows)


def _k_anonymous(rows, roles, promise):
    sets = promise.get("sets") or [promise.get("columns") or roles["quasi"]]
    return all(min(group_sizes(rows, names).values()) >= promise["k"] for names in sets)


def _contained(rows, roles, promise):
    sets = Counter(frozenset(name for name in roles["quasi"] if str(row[name]) == "1") for row in rows)
    return all(sum(n for other, n in sets.items() if one <= other) >= promise["k"] for one in sets)


def _diverse(rows, roles, promise):
    for name in roles["sensitive"]:
        values = defaultdict(set)
        for row in rows:
            values[tuple(row[quasi] for quasi in roles["quasi"])].add(row[name])
        if min(map(len, values.values())) < promise["l"]:
            return False
    return bool(roles["sensitive"])


_COUNTS = {"k-anonymity": _k_anonymous, "containment": _contained, "l-diversity": _diverse}


def _private(folder, stated, promise):
    """Noise is stated, none of it for nothing, and without a delta the epsilons add up to what is promised at most."""
    document = folder / f"{stated['shape']}.json"
    uses = json.loads(document.read_text())["noise"] if document.exists() else stated["noise"]
    if not uses or any(use["sensitivity"] <= 0 or use["scale"] <= 0 or use["picks"] < 1 for use in uses):
        return False
    if promise["delta"] > 1e-20:
        return True
    spent = Fraction(0)
    for use in uses:
        picks = 2 * use["picks"] if use["mechanism"] in ("exponential", "permute-and-flip", "laplace-top") else 1
        spent += picks * Fraction(use["sensitivity"]) / Fraction(use["scale"])
    return float(spent) <= promise["epsilon"] * (1 + 1e-9)


def _model(folder, promise):
    leaves = [node for node in json.loads((folder / "model.json").read_text())["nodes"] if "class" in node]
    shown = [count for leaf in leaves for count in leaf["counts"] or () if count]
    return min([*shown, *(leaf["at_least"] for leaf in leaves)]) >= promise["k"]


def _stated(stated, promise):
    """What only the owner can count: the certificate must at least not say itself that the promise is broken."""
    wanted = {"delta-anonymity": "delta", "k-variance": "k", "breach increase": "alpha"}[promise["name"]]
    verdicts = [stated["verdict"], *stated["verdict"]["parts"]]
    mine = [v for v in verdicts if not v["parts"]]
    lower = promise["name"] == "breach increase"
    fine = [v["measured"] <= v["required"] + 1e-6 if lower else v["measured"] >= v["required"] for v in mine]
    return all(fine) and promise[wanted] in [v["required"] for v in mine]


def restate(stated, rows):
    """All figures of a table's certificate as they are, for a forger who leaves none of them false."""
    roles = roles_of(stated)
    quasi, target = roles["quasi"], roles["target"][0] if roles["target"] else None
    sizes = group_sizes(rows, quasi)
    labelled = group_sizes(rows, [*quasi, target]) if target else None
    different = {}
    for name in dict.fromkeys([*roles["target"], *roles["sensitive"]]):
        values = defaultdict(set)
        for row in rows:
            values[tuple(row[one] for one in quasi)].add(row[name])
        different[name] = {key: len(found) for key, found in values.items()}
    pure = [key for key, found in different.get(target, {}).items() if found == 1]
    stars = sum(row[name] == "*" for row in rows for name in quasi)
    stated["rows"] = len(rows)
    stated["groups"] = {
        "groups": len(sizes),
        "pure_groups": len(pure),
        "pure_rows": sum(sizes[key] for key in pure),
        "diversity": {name: min(found.values()) for name, found in different.items()},
    }
    stated["verdict"] |= {
        "measured": float(min(sizes.values())),
        "rows": len(rows),
        "with_label": None if labelled is None else float(min(labelled.values())),
        "details": {"groups": float(len(sizes)), "unique rows": float(sum(n for n in sizes.values() if n == 1))},
    }
    stated["changes"] |= {
        "suppressed_cells": stars,
        "quasi_cells": len(rows) * len(quasi),
        "changed_cells": max(stars, min(stated["changes"]["changed_cells"], len(rows) * len(quasi))),
    }
    if stated.get("detail"):
        differ = {name: len({row[name] for row in rows}) > 1 for name in quasi}
        said = {name: stated["detail"]["columns"].get(name, 0.0) if differ[name] else 0.0 for name in quasi}
        stated["detail"] = {"whole": round(sum(said.values()) / max(len(said), 1), 2), "columns": said}
