# SPDX-License-Identifier: Apache-2.0
"""E(S) made again from the values that the paper prints: Tables 3 to 6 and 8, and what Table 7 would need."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from benchmarks.choice import protocol
from benchmarks.reproduction.units import IN_WORDS, Found, Row, Unit, Why, yes_or_no
from discreet.choose.e_score import evaluation

HONEST = "E(S) itself is arithmetic on printed values: an honest protocol has no meaning there."
MOST = 40  # candidates; two eliminations of 14 attributes give 27 at most
_WHOLE = (
    "Two rows that name the same subset are two equations for its three ranks: for 6 attributes no size rank fits,"
    " for 11 none fits as printed, and with the two values exchanged exactly one triple does."
)
WHY = (Why("In words", _WHOLE, "Table 7*"),)


def units() -> list[Unit]:
    makers = {"Table 3": table_3, "Table 4": table_4, "Table 5": table_5, "Table 6": table_6,
              "Table 7": table_7, "Table 8": table_8, "Figure 9": figure_9}  # fmt: skip
    return [
        Unit(table, f"{table}: from the printed values", measure, seconds=2, data=("choice/published.toml",))
        for table, measure in makers.items()
    ]


def quick() -> list[Unit]:
    return units()


def derived(found: Found) -> list[Row]:
    tie = protocol.published()["pima_nb_tie"]
    sizes = [len(subset) for subset in tie["subsets"]]
    equal = evaluation([0.0] * 3, [0.0] * 3, sizes, (1, 0, 0))
    smallest = tie["subsets"][equal.order[0]] == tie["best"]
    rows = [
        Row(IN_WORDS, "a tie goes to the smallest", "holds", yes_or_no(smallest, "of equal E(S) the smallest is first"))
    ]
    names = [candidate.name for candidate in protocol.pima()[1:]]
    means = []
    for weights in ([0.5, 0.25, 0.25], [0.2, 0.6, 0.2]):
        scores = protocol.chosen(weights).scores
        means.append([sum(scores[name] for name in part) / len(part) for part in (names[:7], names[7:])])
    (perf, less), (more, priv) = means
    words = f"mean E(S) {perf:.2f} and {less:.2f}, with more weight of privacy {more:.2f} and {priv:.2f}"
    return [*rows, Row(IN_WORDS, "rankings and weights", "holds", yes_or_no(perf > less and priv > more, words))]


# -- tables -----------------------------------------------------------------------------------------------------------


def table_3() -> Iterator[Row]:
    """All ways of being best, counted up in twos."""
    columns = ("argmax(Perf)", "argmin(PBI)", "argmin(Num)")
    for letter, flags in zip("ABCDEFGH", product("FT", repeat=3), strict=True):
        yield from (Row("Table 3", letter, column, flag) for column, flag in zip(columns, flags, strict=True))


def table_4() -> Iterator[Row]:
    candidates = protocol.pima()
    for candidate in candidates:
        yield Row("Table 4", candidate.name, "Combination", protocol.category(candidate, candidates))


def table_5() -> Iterator[Row]:
    ranks = protocol.chosen([0.5, 0.25, 0.25]).evaluation.ranks
    for column, name in (("Num (R)", "size"), ("PBI (R)", "pbi"), ("Perf (R)", "performance")):
        for candidate, rank in zip(protocol.pima(), ranks[name], strict=True):
            yield Row("Table 5", candidate.name, column, int(rank))


def table_6() -> Iterator[Row]:
    for case in protocol.published()["pima_c45"]["cases"]:
        scores = protocol.chosen(case["weights"]).evaluation.scores
        for candidate, score in zip(protocol.pima(), scores, strict=True):
            yield Row("Table 6", candidate.name, case["name"], float(score))


def table_7() -> Iterator[Row]:
    """Of how many subsets whole ranks give the printed values, the size rank being one that two eliminations allow."""
    adult = protocol.published()["adult_c45"]
    subsets = dict.fromkeys(tuple(row["best"]) for row in adult["rows"])
    solved = []
    for best in subsets:
        rows = [(row["weights"], row["e"]) for row in adult["rows"] if tuple(row["best"]) == best]
        most = protocol.most_larger(len(best), adult["attributes"]) + 1
        solved.append(any(ranks[2] <= most for ranks in protocol.whole_ranks(rows, MOST)))
    words = f"whole ranks exist for {sum(solved)} of {len(subsets)} subsets"
    yield Row(IN_WORDS, "Table 7 is E(S)", "holds", yes_or_no(all(solved), words))


def table_8() -> Iterator[Row]:
    """Which factors change E(S), tried on the fourteen candidates."""
    for row in protocol.published()["zero_weights"]["rows"]:
        parts = [{"x": 2, "y": 3, "z": 5}.get(w, w) for w in row["weights"]]
        weights = [Fraction(part, sum(parts)) for part in parts]
        felt = [name for place, name in enumerate(protocol.CRITERIA) if _feels(weights, place)]
        yield Row("Table 8", " ".join(map(str, row["weights"])), "E(S)", " + ".join(felt))


def _feels(weights: list[Fraction], place: int) -> bool:
    """Whether E(S) of three candidates changes when one factor is turned round."""
    values = [[1.0, 2.0, 4.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]]
    turned = [value[::-1] if number == place else value for number, value in enumerate(values)]
    return list(evaluation(*values, weights).scores) != list(evaluation(*turned, weights).scores)


def figure_9() -> Iterator[Row]:
    for case in protocol.published()["pima_c45"]["cases"]:
        yield Row("Figure 9", case["name"], "best subset", protocol.chosen(case["weights"]).best.name)
