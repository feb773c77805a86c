# SPDX-License-Identifier: Apache-2.0
"""Check the stated noise against the mechanism and the sensitivity that the method must have used.

Nobody can see from a release that noise was drawn, but the statement about it must be consistent: the sensitivity
follows from the method, its parameters, the domain and the number of rows (docs/methods), and epsilon follows from
sensitivity and scale. With too small a sensitivity, a release without any noise could claim the promise.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from discreet.data.content import Content
from discreet.errors import DataError, listing
from discreet.prepare.intervals import interval_label
from discreet.privacy.differential_privacy import private_part
from discreet.privacy.noise import FINITE, Noise, from_statement
from discreet.release.certificate import Certificate
from discreet.release.older_names import renamed

_UNIT = 1024  # change by one row of a score of splits or strata
_SLACK = 1e-3  # relative, for inexact minimisers
_MOST_PAIR = 2**20  # cells of a pair of columns with the label
_FEW_CELLS = 1000  # up to which "auto" counts every cell
_WRONG = "The stated noise is not that of this method with these parameters: {}."
_PICKS = ("permute-and-flip", "exponential")  # earlier versions picked by the second
_SELECTS = {"laplace-select": "laplace-top", "exponential-select": "exponential"}


def noise_of(certificate: Certificate, content: Content) -> list[Noise]:
    """The stated noise of a differentially private release; DataError if it is missing or out of place."""
    if private_part(certificate.the_promise()) is None:
        if certificate.noise is not None or content.stated_noise is not None:
            raise DataError("Noise is stated, but the promise is not differential privacy.")
        return []
    if not certificate.content_type.has_rows:
        if certificate.noise is not None:
            raise DataError("Noise is stated twice, in the document and in the certificate.")
        return from_statement(content.stated_noise)
    return from_statement(certificate.noise)


def noise_problems(certificate: Certificate, content: Content) -> tuple[list[str], list[str]]:
    """Problems of the stated noise, and remarks for the reader."""
    uses = noise_of(certificate, content)
    parameters = renamed(certificate.method.name, certificate.method.parameters)
    if not uses:
        return [], []
    promise = private_part(certificate.the_promise())
    assert promise is not None
    if any(use.sensitivity <= 0 for use in uses):
        return [_WRONG.format("a sensitivity of zero")], []
    if certificate.method.name in (*_SELECTS, "private-fwell") and certificate.content_type.has_rows:
        return [_WRONG.format("this noise belongs to a document")], []
    if certificate.method.name in _SELECTS:
        result = _of_names(_SELECTS[certificate.method.name], uses, parameters, content.data)
    elif certificate.method.name == "private-fwell":
        result = _of_weights(uses, parameters, content.data)
    elif certificate.method.name == "private-table":
        result = _of_table(uses, parameters, certificate)
    else:
        return [], ["The method is not known here: the sensitivity of its noise rests on the holder's word."]
    wrong, remark = result
    if not wrong and len(uses) == 1 and uses[0].loss.epsilon < promise.epsilon * (1 - 1e-6) and not promise.delta:
        wrong = "the scale does not follow from epsilon"
    return ([_WRONG.format(wrong)] if wrong else []), ([remark] if remark and not wrong else [])


def _stated_size_remark(rows: float, other: str, what: str = "rows") -> str:
    return (
        f"The noise is stated for {round(rows):,} {what}, and that number rests on the holder's word: with {other} of"
        " them the noise would be too small."
    )


def _whole(value: float) -> bool:
    return abs(value - round(value)) <= 1e-6 * max(abs(value), 1) and value >= 1


def _of_names(
    mechanism: str, uses: Sequence[Noise], parameters: Mapping[str, Any], document: Mapping[str, Any]
) -> tuple[str, str]:
    """Columns picked in turn by counts of row pairs; one row is in rows - 1 pairs."""
    use, names = uses[0], document["names"]
    if len(uses) > 1 or use.mechanism != mechanism:
        return "another mechanism", ""
    if use.picks != len(names) or use.picks != parameters["n_features"]:
        return "the number of picks differs from the number of names", ""
    if not _whole(use.sensitivity) or use.sensitivity < 1:
        return "the sensitivity must be the number of rows minus one", ""
    domain = parameters["domain"]
    if domain is not None and not set(names) <= {f"{column}={label}" for column, label in _items(domain)}:
        return "some names are not in the domain", ""
    return "", _stated_size_remark(use.sensitivity + 1, "more")


def _items(domain: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (column, "missing" if label is None else label)
        for column, levels in domain.items()
        for label in labels_of(levels)
    ]


def _of_weights(uses: Sequence[Noise], parameters: Mapping[str, Any], document: Mapping[str, Any]) -> tuple[str, str]:
    use, weights, way = uses[0], document["weights"], parameters["strategy"]
    if len(uses) > 1:
        return "several uses", ""
    if way == "auto":
        way = "strata" if use.sensitivity == _UNIT else "ranks"  # ranks are of earlier versions
    if way not in ("strata", "ranks") and parameters["bounds"] is None:
        return "no public bounds", ""
    if (way == "reference") != (parameters["reference"] is not None):
        return "no public sample", ""
    if way in ("strata", "ranks", "splits"):
        return _of_picks(use, weights, way, parameters["n_features"])
    if use.mechanism != "euclidean" or use.picks != 1 or use.delta != FINITE:
        return "another mechanism", ""
    clip, regularization = parameters["clip"], parameters["regularization"]
    if way == "reference":
        rows = (1 + _SLACK) * clip / (regularization * use.sensitivity)
        return ("", _stated_size_remark(rows, "fewer")) if _whole(rows) else ("the sensitivity", "")
    longest = min(clip / (2 * regularization), math.sqrt(math.log(2) / regularization))
    blocks = (1 + _SLACK) * 2 * longest / use.sensitivity
    if not _whole(blocks) or (parameters["blocks"] is not None and round(blocks) > parameters["blocks"]):
        return "the sensitivity", ""
    return "", _stated_size_remark(blocks, "fewer", "blocks of rows")


def _of_picks(use: Noise, weights: Sequence[float], way: str, n_features: int | None) -> tuple[str, str]:
    """Columns picked in turn; the weights descend in equal steps in the order of the picks."""
    picks = max(1, len(weights) // 10) if n_features is None else n_features
    if use.mechanism not in _PICKS or use.picks != picks:
        return "another mechanism, or another number of picks", ""
    ladder = [1 - step / picks for step in range(picks)] + [0.0] * (len(weights) - picks)
    if len(weights) < picks or any(abs(a - b) > 1e-12 for a, b in zip(sorted(weights, reverse=True), ladder)):  # noqa: B905
        return f"the weights are not those of {picks} picks", ""
    if way != "ranks":
        return ("" if use.sensitivity == _UNIT else "the sensitivity"), ""
    rows = (use.sensitivity + 3) / 2
    return ("", _stated_size_remark(rows, "more")) if _whole(rows) and rows >= 2 else ("the sensitivity", "")


# -- rows that were drawn ------------------------------------------------------------------------------------------


def labels_of(levels: Mapping[str, Any]) -> list[str | None]:
    """The possible cells of a domain column, as published; None stands for a missing cell."""
    if "values" in levels:
        labels: list[str | None] = list(levels["values"])
    else:
        ends = [None, *levels["cuts"], None]
        if any(isinstance(end, str) for end in ends):  # dates appear in labels as they are written
            labels = [_between(low, high) for low, high in pairwise(ends)]
        else:
            labels = [interval_label(low, high, "number") for low, high in pairwise(ends)]
    return [*labels, None] if levels["missing"] else labels


def _between(low: str | None, high: str | None) -> str:
    if low is None:
        return f"< {high}"
    return f">= {low}" if high is None else f"[{low}, {high})"


def _of_table(uses: Sequence[Noise], parameters: Mapping[str, Any], certificate: Certificate) -> tuple[str, str]:
    domain, neighbours = parameters["domain"], parameters["neighbours"]
    if set(domain) != {column.name for column in certificate.columns}:
        extra = sorted(set(domain) ^ {column.name for column in certificate.columns})
        return f"the domain is about other columns ({listing(extra)})", ""
    target = certificate.names("target")
    if len(target) != 1 or next(iter(domain)) != target[0]:
        return "the domain does not begin with the target", ""
    if any(use.neighbours != neighbours for use in uses):
        return "other neighbours", ""
    rows = 1 if parameters["rows_per_person"] is None else parameters["rows_per_person"]
    step = rows * (2 if neighbours == "replace-one" else 1)
    sizes = [len(labels_of(levels)) for levels in domain.values()]
    cells, model = math.prod(sizes), parameters["model"]
    if model == "cells" or (model == "auto" and cells <= _FEW_CELLS):
        fine = len(uses) == 1 and uses[0].mechanism == "geometric" and uses[0].sensitivity == step
        return ("" if fine else "all cells must be counted once"), ""
    return _of_marginals(uses, sizes, step, rows, parameters), ""


def _of_marginals(
    uses: Sequence[Noise], sizes: Sequence[int], step: int, rows: int, parameters: Mapping[str, Any]
) -> str:
    """Each column is counted with the label or alone; then pairs are picked and counted, then triples.

    Columns with equally many levels are counted at once, those with few levels first; earlier versions counted all at
    once. Where noise would drown the label, columns with many levels are counted alone, after the others. Where the
    number of rows is private, it may be counted before. Where no pair is picked, the columns are counted again; where
    no triple is picked, the pairs are.
    """
    columns = len(sizes) - 1
    pairs = sum(sizes[0] * a * b <= _MOST_PAIR for a, b in combinations(sizes[1:], 2))
    most = min(columns - 1, pairs)
    layouts = _layouts(sizes)
    counting = "gaussian" if parameters["delta"] else "geometric"
    both = 2 if parameters["neighbours"] == "replace-one" else 1

    def counts(use: Noise, *groups: int) -> bool:
        of = [rows * math.sqrt(both * n) if parameters["delta"] else n * step for n in groups]
        return use.mechanism == counting and any(math.isclose(use.sensitivity, each, rel_tol=1e-9) for each in of)

    def of_columns(some: Sequence[Noise]) -> list[int]:
        """How many of the first uses may be those that count every column."""
        fitting = [
            len(layout)
            for layout in layouts
            if len(some) >= len(layout) and all(counts(use, n) for use, n in zip(some, layout, strict=False))
        ]
        return sorted(set(fitting))

    def picks(use: Noise, upto: int) -> bool:
        return use.mechanism in _PICKS and use.sensitivity == step and use.picks <= upto

    def problem(others: Sequence[Noise]) -> str:
        """What is wrong with the uses after the columns."""
        if not most:
            return "" if not others else "there are no pairs to pick"
        if others and not picks(others[0], most):
            return f"at most {most} pairs of columns must be picked"
        if len(others) > 1 and len(others) - 1 in of_columns(others[1:]):  # none was picked
            return ""
        if len(others) > 1 and not counts(others[1], *range(1, columns + 1)):
            return "the picked pairs must be counted"
        rest = list(others[2:])
        if len(rest) > 1 and not picks(rest.pop(0), most - 1):
            return f"at most {most - 1} triples of columns must be picked"
        fine = len(rest) < 2 and all(counts(use, *range(1, most + 1)) for use in rest)
        return "" if fine else "the picked triples must be counted last"

    private = parameters["neighbours"] == "add-remove" or parameters["rows_per_person"] is not None
    starts = [(uses, first) for first in of_columns(uses)]
    if private and most > 0 and counts(uses[0], 1):
        starts += [(uses[1:], first) for first in of_columns(uses[1:])]
    problems = [problem(some[first:]) for some, first in starts]
    if not problems:
        return f"{columns} columns must be counted first"
    return "" if "" in problems else problems[-1]


def _layouts(sizes: Sequence[int]) -> set[tuple[int, ...]]:
    """How many columns may be counted at once, one count after the other: those with the label, then those alone.

    >>> sorted(_layouts([2, 3, 3, 9]))
    [(1, 1, 1), (2, 1), (3,)]
    """
    alike = tuple(count for _, count in sorted(Counter(sizes[1:]).items()))
    split = (
        (*alike[:place], kept, *((count - kept,) if kept < count else ()), *alike[place + 1 :])
        for place, count in enumerate(alike)
        for kept in range(1, count + 1)
    )
    return {(sum(alike),), *split}
