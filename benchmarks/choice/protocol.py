# SPDX-License-Identifier: Apache-2.0
"""The paper's tables of E(S), made again from its own figures, and what can be told where the figures are not printed.

Table 7 prints E(S) of chosen subsets of Adult and no ranks. Two of its rows that name the same subset are two equations
for three ranks; whether whole ranks exist at all, and for how many candidates, can be counted out.
"""

from __future__ import annotations

import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from discreet.choose import Candidate, Choice, Measure, choose

HERE = Path(__file__).parent
CRITERIA = ("performance", "pbi", "size")
MEANINGS = {
    "performance": Measure(title="Accuracy", unit="%"),
    "pbi": Measure(title="Privacy breach increase", unit="%", higher_is_better=False),
    "size": Measure(title="Size", unit="attributes", higher_is_better=False),
}


def published() -> dict[str, Any]:
    """What the file holds, with the candidates of Tables 4 to 6 in the place of their three tables."""
    content = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))
    tables = {block["table"]: block["rows"] for block in content["tables"]}
    content["categories"] = {letter: [flag == "T" for flag in flags] for letter, flags in tables["Table 3"].items()}
    content["pima_c45"]["candidates"] = [
        {
            **dict(zip(("name", "size", "pbi", "perf", "category"), (name, *values), strict=True)),
            "ranks": dict(zip(("size", "pbi", "perf"), tables["Table 5"][name], strict=True)),
            "e": tables["Table 6"][name],
        }
        for name, values in tables["Table 4"].items()
    ]
    return content


def pima() -> list[Candidate]:
    """The fourteen candidates of Table 4."""
    return [
        Candidate(row["name"], {"performance": row["perf"], "pbi": row["pbi"], "size": row["size"]}, meanings=MEANINGS)
        for row in published()["pima_c45"]["candidates"]
    ]


def chosen(weights: list[float], by: str = "rank") -> Choice:
    return choose(pima(), dict(zip(CRITERIA, weights, strict=True)), by)  # type: ignore[arg-type]


def category(candidate: Candidate, candidates: list[Candidate]) -> str:
    """The letter of Table 3."""
    values = {name: [other.measures[name] for other in candidates] for name in CRITERIA}
    ideal = {"performance": max(values["performance"]), "pbi": min(values["pbi"]), "size": min(values["size"])}
    flags = [candidate.measures[name] == ideal[name] for name in CRITERIA]
    return next(letter for letter, of in published()["categories"].items() if of == flags)


def whole_ranks(rows: list[tuple[list[float], float]], most: int) -> list[tuple[int, int, int]]:
    """All ranks (performance, pbi, size) from 1 to `most` that give every row's E(S) under its weights, exactly.

    >>> whole_ranks([([0.5, 0.25, 0.25], 9.5), ([0.2, 0.6, 0.2], 7)], most=14)
    [(11, 4, 12), (13, 5, 7)]
    """
    exact = [([Fraction(str(w)) for w in weights], Fraction(str(e))) for weights, e in rows]
    return [
        ranks
        for ranks in product(range(1, most + 1), repeat=3)
        if all(sum(w * r for w, r in zip(weights, ranks, strict=True)) == e for weights, e in exact)
    ]


def most_larger(size: int, attributes: int) -> int:
    """How many candidates can be larger than one of `size`: two eliminations, one step each, and the baseline."""
    return 2 * (attributes - 1 - size) + 1
