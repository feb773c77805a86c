# SPDX-License-Identifier: Apache-2.0
"""What attackers get: `python -m benchmarks.attacks [part ...]`.

Parts: sparse, intersection, selections, membership, pairs, differencing, targets. Prints the tables of docs/attacks;
all of them if none is named. Needs DISCREET_DATA, except for the last four. --quick tries fewer persons and runs.
Everything is drawn with seeds: the figures repeat.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from itertools import product

import numpy as np

from discreet import Baskets, Containment, GreedySelector, MaximalSelector, Mondrian, PrivateTable, Roles, Table
from discreet.attacks.case import Case
from discreet.attacks.differencing import differencing
from discreet.attacks.finding import Finding
from discreet.attacks.intersection import intersection
from discreet.attacks.membership import membership, membership_of_row, simulated
from discreet.attacks.published import Published
from discreet.attacks.singling_out import singling_out
from discreet.attacks.sparse import ECCENTRICITY, SCORES, SparseAttack
from discreet.evaluate.utility import Share
from discreet.samples import load

K = 5
EVERY = 10_000  # tokens: no message has as many


def table(title: str, heads: Iterable[str], lines: Iterable[Iterable[object]]) -> None:
    """A table as it stands on a page."""
    heads = list(heads)
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for cells in lines:
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def share(found: Share | None) -> str:
    return "" if found is None else f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def result(found: Finding) -> list[str]:
    bound = "" if found.bound is None else f"{found.bound:.3f}"
    computed = found.success.low == found.success.high  # of one person, not a share of many
    success = f"{found.success.value:.3f}" if computed else share(found.success)
    return [success, bound, "yes" if found.breaks_promise else "no" if bound else ""]


RESULT = ("success", "bound", "broken")


def sparse(quick: bool) -> None:
    """The messages of PU1, before and after selection."""
    baskets = load("pu1").data
    assert isinstance(baskets, Baskets)
    targets = 200 if quick else len(baskets)
    methods = {
        "HamDist": GreedySelector(K),
        "DistCnt": GreedySelector(K, utility="distcnt"),
        "Maximal": MaximalSelector(K),
    }
    releases = {"all tokens": Published(baskets, Containment(K))}
    releases |= {name: Published.of(method.release(baskets)) for name, method in methods.items()}

    def lines() -> Iterable[list[object]]:
        for name, release in releases.items():
            for score in SCORES:
                found = SparseAttack(score=score, targets=targets).run(release, baskets)
                yield [name, release.data.shape[1], score, *result(found)]

    table(f"PU1, 8 known tokens, k = {K}", ("published", "tokens", "score", *RESULT), lines())

    def knowledge() -> Iterable[list[object]]:
        for known, wrong, items in (
            (2, 0, "random"),
            (4, 0, "random"),
            (8, 0, "random"),
            (8, 2, "random"),
            (2, 0, "rare"),
        ):
            for name in ("all tokens", "Maximal"):
                attack = SparseAttack(known, wrong, items=items, targets=targets)
                yield [known, wrong, items, name, *result(attack.run(releases[name], baskets))]

    table("The same by what is known, weighted", ("known", "wrong", "items", "published", *RESULT), knowledge())
    order = np.random.default_rng(0).permutation(len(baskets))
    inside, outside = baskets.take(np.sort(order[:800])), baskets.take(np.sort(order[800:]))
    found = [
        SparseAttack(known, wrong, eccentricity=ECCENTRICITY, targets=targets).run(
            Published(inside, Containment(K)), inside, outside
        )
        for known, wrong in ((8, 0), (8, 2))
    ]
    table(
        f"800 messages published, 299 not; a record must stand out by {ECCENTRICITY} standard deviations",
        ("wrong", "rightly named", "absent, named all the same"),
        [[wrong, share(one.success), share(one.control)] for wrong, one in zip((0, 2), found, strict=True)],
    )


def intersect(quick: bool) -> None:
    """Two k-anonymous releases of Adult that share nothing but what is published as it is, and sex."""
    people = load("adult").data
    quasi = [["age", "sex", "race", "marital-status"], ["education", "workclass", "native-country", "sex"]]
    common = ([], ["occupation"], ["occupation", "hours-per-week"], ["occupation", "hours-per-week", "capital-gain"])

    def lines() -> Iterable[list[object]]:
        for k in (5, 20):
            for other in common:
                releases = [
                    Published.of(
                        Mondrian(k, random_state=1).release(people, Roles(target="income", quasi=names, other=other))
                    )
                    for names in quasi
                ]
                case = Case(
                    releases[0], people, Roles(), others=tuple(releases[1:]), targets=200 if quick else 5000
                )  # fmt: skip
                mean, worst, income = intersection(case)
                left = mean.note.split(" are left")[0].rsplit(". ", 1)[-1]
                told = f"{income.success.value:.3f} ({income.baseline:.3f})"
                yield [k, ", ".join(["income", *other]), share(mean.success), *result(worst), left, told]

    heads = ("k", "published as they are in both", "mean success", "easiest", "bound", "broken", "left among fewer")
    table("Adult, two releases by Mondrian", (*heads, "income told (by the better one alone)"), lines())


def selections(quick: bool) -> None:
    """Two containment selections of PU1, on tokens of which the second has some, or none, of the first."""
    baskets = load("pu1").data
    assert isinstance(baskets, Baskets)

    def lines() -> Iterable[list[object]]:
        first = GreedySelector(K).release(baskets)
        kept = set(first.baskets.names)  # type: ignore[union-attr]
        rest = [item for item, name in enumerate(baskets.names) if name not in kept]
        seconds = {
            "the same tokens": GreedySelector(K).release(baskets),
            "by DistCnt": GreedySelector(K, utility="distcnt").release(baskets),
            "other tokens": GreedySelector(K).release(baskets.keep(rest)),
        }
        for known, (name, second) in product((8, EVERY), seconds.items()):
            both = len(kept & set(second.baskets.names))  # type: ignore[union-attr]
            others, targets = (Published.of(second),), 200 if quick else len(baskets)
            case = Case(Published.of(first), baskets, Roles(), others=others, targets=targets, aux_items=known)
            mean, worst, label = intersection(case)
            joint = mean.note.split("smallest group would have ")[1].rstrip(".")
            told = f"{label.success.value:.3f} ({label.baseline:.3f})"
            yield ["all" if known == EVERY else known, name, both, share(mean.success), *result(worst), told, joint]

    heads = ["known", "second selection", "tokens in both", "mean success", "easiest", "bound", "broken"]
    heads += ["label told (by the better one alone)", "AC if rows were paired"]
    table(f"PU1, two selections, the first by HamDist, k = {K}", heads, lines())


EXAMPLE = {"sex": ["f", "m"] * 6 + ["x"], "ill": ["no", "yes"] * 6 + ["yes"]}
DOMAIN = {"sex": ["f", "m", "x"], "ill": {"values": ["no", "yes"], "missing": False}}


def members(quick: bool) -> None:
    """The strong game with one row of thirteen, against PrivateTable at several epsilons, and without noise."""
    runs, roles = 100 if quick else 600, Roles(target="ill", quasi="sex")

    def lines() -> Iterable[list[object]]:
        for neighbours in ("replace-one", "add-remove"):
            asked = [("cells", epsilon, 0.0) for epsilon in (0.5, 1.0, 2.0, 4.0)]
            asked += [("marginals", epsilon, delta) for delta in (0.0, 1e-3) for epsilon in (1.0, 4.0)]
            for model, epsilon, delta in asked:
                method = PrivateTable(epsilon, DOMAIN, delta=delta, neighbours=neighbours, model=model)
                found = membership_of_row(method, EXAMPLE, roles, runs=runs)
                yield [neighbours, model, epsilon, delta, *result(found)]
            claim = PrivateTable(1.0, DOMAIN, neighbours=neighbours).promise
            bare = PrivateTable(500.0, DOMAIN, neighbours=neighbours)
            found = membership_of_row(bare, EXAMPLE, roles, runs=100, promise=claim)
            yield [neighbours, "cells", "1 claimed, hardly any noise", 0.0, *result(found)]

    table("One row of thirteen, shadow runs", ("neighbours", "model", "epsilon", "delta", *RESULT), lines())


def pairs(quick: bool) -> None:
    """The weak game: 600 made-up patients in a release, 600 not."""
    everyone = load("clinic", rows=1200, random_state=7).data
    assert isinstance(everyone, Table)
    inside, outside = everyone.take(np.arange(600)), everyone.take(np.arange(600, 1200))
    roles = Roles(target="readmitted", quasi=("age", "sex", "zip", "marital"), sensitive=("diagnosis",))
    domain = {name: {"values": everyone.column(name).texts} for name in ("sex", "zip", "marital", "diagnosis")}
    domain |= {"age": {"cuts": [30, 50, 70]}, "readmitted": {"values": ["no", "yes"], "missing": False}}

    def lines() -> Iterable[list[object]]:
        for k in (5, 50):
            yield [f"Mondrian, k = {k}", *play(Published.of(Mondrian(k, random_state=1).release(inside, roles)))]
        for epsilon in (0.5, 1.0, 2.0, 4.0):
            method = PrivateTable(epsilon, domain)
            drawn = simulated(method, inside, roles, 1)
            yield [f"PrivateTable, epsilon {epsilon:g}", *play(Published(drawn.table, method.promise, drawn.roles))]

    def play(release: Published) -> list[str]:
        (found,) = membership(Case(release, inside, Roles(), control=outside))
        return result(found)

    table("600 made-up patients in a release, 600 not", ("method", *RESULT), lines())


def one_more(quick: bool) -> None:
    """A row more or less: made-up patients, two values that are published as they are, or with noise."""
    sample = load("clinic", rows=400, random_state=7)
    roles = Roles(target="readmitted", quasi=["sex", "marital"])
    values = {name: sample.data.column(name).texts for name in roles.published}
    domain = {name: {"values": texts, "missing": name != "readmitted"} for name, texts in values.items()}
    methods = {
        "Mondrian, k = 5": Mondrian(5),
        "Mondrian, k = 50": Mondrian(50),
        **{f"PrivateTable, epsilon {e:g}": PrivateTable(e, domain) for e in (0.5, 1.0, 2.0, 4.0)},
    }
    targets = 30 if quick else 300
    lines = (
        [name, *result(differencing(method, sample.data, roles, targets=targets))] for name, method in methods.items()
    )
    table("400 made-up patients, with one of them and without", ("method", *RESULT), lines)


def by_targets(quick: bool) -> None:
    """Singling out by several columns, of one release, by how many rows are tried."""
    everyone = load("clinic", rows=2000 if quick else 8000, random_state=7).data
    roles = Roles(target="readmitted", quasi=("age", "sex", "zip"), sensitive=("diagnosis",))
    release = Published.of(Mondrian(5, random_state=1).release(everyone, roles))

    def lines() -> Iterable[list[object]]:
        for targets in (150, 600, 2000) if quick else (150, 600, 2000, 8000):
            found = singling_out(Case(release, everyone, roles, targets=targets))
            yield [targets, share(next(one for one in found if one.attack.endswith("several columns")).success)]

    table(f"{len(everyone):,} made-up patients, Mondrian, k = 5", ("rows tried", "singled out"), lines())


PARTS: dict[str, Callable[[bool], None]] = {
    "sparse": sparse,
    "intersection": intersect,
    "selections": selections,
    "membership": members,
    "pairs": pairs,
    "differencing": one_more,
    "targets": by_targets,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if unknown := [part for part in given.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; they are {', '.join(PARTS)}")
    for part in given.parts or PARTS:
        PARTS[part](given.quick)


if __name__ == "__main__":
    main()
