# SPDX-License-Identifier: Apache-2.0
"""Small data and a quick instance of every method, for the laws in checks.py. A new method joins by an entry here."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from discreet import (
    BreachAwareSelector,
    DeltaSketch,
    ExponentialSelector,
    GreedySelector,
    ItemGroups,
    KActus,
    KActus2,
    KAdet,
    KmSelector,
    LaplaceSelector,
    MaximalSelector,
    Mondrian,
    OptimalSelector,
    PrivateFwell,
    PrivateTable,
    RandomFlip,
    Roles,
    TopDownRefinement,
    TopDownSpecialization,
    TreeLadder,
    VarianceSketch,
)
from discreet.methods import Method
from discreet.prepare.hierarchy import from_paths

# Strings that must not leave. RARE is the quasi-identifier value of one person, UNUSED a level that nobody has.
NAME, RARE, UNUSED, INDEX, METADATA, HIDDEN = (
    f"{word}-7731" for word in ("Name", "Rare", "Unused", "Index", "Metadata", "Hidden")
)
MARKERS = (NAME, RARE, UNUSED, INDEX, METADATA, HIDDEN)
TOWNS = from_paths(
    "town", [(t, "east" if t == "East" else "not east", "*") for t in ("North", "South", "East", "West", RARE)]
)


DOMAIN = {  # of people(), without the rare town: known without looking
    "again": ["no", "yes"],
    "age": {"cuts": [30, 50, 70]},
    "sex": ["f", "m"],
    "town": ["North", "South", "East", "West"],
    "job": ["nurse", "clerk", "smith"],
    "ill": ["flu", "gout", "cold"],
    "stay": list(range(1, 9)),
}
SAMPLE = [[int((i * j) % 3 == 0) for j in range(14)] for i in range(6)]  # rows that are public


@dataclass(frozen=True)
class Instance:
    """How to make a method for a test: `make(k, seed)`; which shapes it releases."""

    make: partial
    shapes: tuple[str, ...]


def _of(cls, shapes, **parameters):
    return Instance(partial(_make, cls, parameters), shapes)


def _make(cls, parameters, k, seed=None):
    return cls(k=k, random_state=seed, **parameters)


def _private(cls, shapes, **parameters):
    return Instance(partial(_make_private, cls, parameters), shapes)


def _make_private(cls, parameters, k, seed=None):
    """Differential privacy has no k, and neither has a breach increase."""
    return cls(random_state=seed, **parameters)


INSTANCES = {
    "delta-sketch": _private(DeltaSketch, ("sketches",), delta=0.3),
    "breach-aware": _private(
        BreachAwareSelector, ("table",), learner="naive-bayes", attackers=("naive-bayes", "c45"), folds=4
    ),
    "breach-aware-floating": _private(
        BreachAwareSelector, ("table",), alpha=0.1, search="floating", attackers=("c45",), folds=4, score="value"
    ),
    "exponential-select": _private(ExponentialSelector, ("names",), epsilon=1.0, n_features=3),
    "greedy-hamdist": _of(GreedySelector, ("table", "baskets")),
    "greedy-distcnt-stop": _of(GreedySelector, ("table", "baskets"), utility="distcnt", on_infeasible="stop"),
    "greedy-cm-k-anonymity": _of(GreedySelector, ("table", "baskets"), utility="cm", constraint="k-anonymity"),
    "greedy-absences": _of(GreedySelector, ("table", "baskets"), absences=1),
    "greedy-known-labels": _of(GreedySelector, ("table", "baskets"), label_known=True),
    "item-groups": _of(ItemGroups, ("baskets",)),
    "item-groups-given": _of(ItemGroups, ("baskets",), groups={f"x{i}": f"group {i % 4}" for i in range(10)}),
    "kactus": _of(KActus, ("table",)),
    "kactus2": _of(KActus2, ("table",)),
    "kactus2-swap": _of(KActus2, ("table",), swap=0.6, inducer="sklearn"),
    "kactus2-diverse": _of(KActus2, ("table",), l=2, pool=True),
    "kactus2-close": _of(KActus2, ("table",), t=0.4, label_known=True),
    "kadet": _of(KAdet, ("model",)),
    "kadet-trees": _of(KAdet, ("model",), hierarchies={"town": TOWNS}),
    "kadet-public-class": _of(KAdet, ("model",), public_class=True, prune=False),
    "km": _of(KmSelector, ("table", "baskets")),
    "km-groups": _of(KmSelector, ("baskets",), groups={f"x{i}": f"group {i % 4}" for i in range(10)}),
    "km-three": _of(KmSelector, ("table", "baskets"), m=3, utility="hamdist"),
    "laplace-select": _private(LaplaceSelector, ("names",), epsilon=1.0, n_features=3),
    "maximal-containment": _of(MaximalSelector, ("table", "baskets")),
    "maximal-frequent": _of(MaximalSelector, ("table", "baskets"), family="frequent", utility="distcnt"),
    "maximal-known-labels": _of(MaximalSelector, ("table", "baskets"), label_known=True),
    "optimal-known-labels": _of(OptimalSelector, ("table", "baskets"), utility="hamdist", label_known=True),
    "optimal-auc": _of(OptimalSelector, ("table", "baskets")),
    "optimal-hamdist": _of(OptimalSelector, ("table", "baskets"), utility="hamdist"),
    "mondrian-median": _of(Mondrian, ("table",)),
    "mondrian-information": _of(Mondrian, ("table",), split="information"),
    "mondrian-relaxed": _of(Mondrian, ("table",), relaxed=True),
    "mondrian-hierarchy": _of(Mondrian, ("table",), labels="hierarchy", split="information"),
    "mondrian-trees": _of(Mondrian, ("table",), labels="hierarchy", hierarchies={"town": TOWNS}),
    "mondrian-cuts": _of(Mondrian, ("table",), labels="cuts"),
    "mondrian-cuts-information": _of(Mondrian, ("table",), labels="cuts", split="information", relaxed=True),
    "mondrian-diverse": _of(Mondrian, ("table",), l=2),
    "mondrian-close": _of(Mondrian, ("table",), l=1.5, diversity="entropy", t=0.4, split="information"),
    "mondrian-sampled": _of(Mondrian, ("table",), population=0.9),
    "mondrian-known-labels": _of(Mondrian, ("table",), label_known=True),
    "private-table": _private(PrivateTable, ("synthetic",), epsilon=1.0, domain=DOMAIN),
    "private-table-cells": _private(PrivateTable, ("synthetic",), epsilon=1.0, domain=DOMAIN, model="cells"),
    "private-table-numbers": _private(PrivateTable, ("synthetic",), epsilon=1.0, domain=DOMAIN, numbers=True),
    "private-table-delta": _private(PrivateTable, ("synthetic",), epsilon=1.0, domain=DOMAIN, delta=1e-6),
    "private-fwell": _private(PrivateFwell, ("weights",), n_features=3),
    "private-fwell-bounds": _private(PrivateFwell, ("weights",), bounds=(0, 1), n_features=3),
    "private-fwell-ranks": _private(PrivateFwell, ("weights",), strategy="ranks", n_features=3),
    "private-fwell-splits": _private(PrivateFwell, ("weights",), bounds=(0, 1), strategy="splits", n_features=3),
    "private-fwell-blocks": _private(PrivateFwell, ("weights",), bounds=(0, 1), strategy="blocks", blocks=15),
    "private-fwell-reference": _private(
        PrivateFwell, ("weights",), bounds=(0, 1), strategy="reference", reference=(SAMPLE, ["yes", "no"] * 3)
    ),
    "random-flip": _of(RandomFlip, ("table", "baskets")),
    "random-flip-member": _of(RandomFlip, ("table", "baskets"), vector="member"),
    "tds": _of(TopDownSpecialization, ("table",)),
    "tds-hierarchies": _of(TopDownSpecialization, ("table",), hierarchies={"town": TOWNS}),
    "tds-global": _of(TopDownSpecialization, ("table",), hierarchies={"town": TOWNS}, recoding="global"),
    "tds-close": _of(TopDownSpecialization, ("table",), l=1.5, diversity="entropy", t=0.4, label_known=True),
    "tdr": _of(TopDownRefinement, ("table",)),
    "tdr-hierarchies": _of(TopDownRefinement, ("table",), hierarchies={"town": TOWNS}),
    "variance-sketch": _of(VarianceSketch, ("sketches",)),
    "variance-sketch-delta": _of(VarianceSketch, ("sketches",), delta=0.5, information=0.9),
    "tree-ladder": _of(TreeLadder, ("table",)),
    "tree-ladder-detail": _of(TreeLadder, ("table",), trust=20, detail=2.0),
    "tree-ladder-few-bins": _of(TreeLadder, ("table",), bins=3, detail=0.0),
    "tree-ladder-diverse": _of(TreeLadder, ("table",), l=2),
}


def people(n=160, seed=3) -> pd.DataFrame:
    """People with names, planted markers, missing cells and a label that depends on them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    sex = rng.choice(["f", "m"], n)
    town = rng.choice(["North", "South", "East", "West"], n, p=[0.4, 0.3, 0.2, 0.1]).astype(object)
    town[7] = RARE
    job = rng.choice(["nurse", "clerk", "smith"], n).astype(object)
    job[rng.random(n) < 0.1] = None
    ill = rng.choice(["flu", "gout", "cold"], n)
    again = np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 8 - (sex == "f"))), "yes", "no")
    frame = pd.DataFrame(
        {
            "name": [f"{NAME}-{i}" for i in range(n)],
            "hidden_column": [f"{HIDDEN}-{i % 11}" for i in range(n)],
            "age": age,
            "sex": pd.Categorical(sex, categories=["f", "m", UNUSED]),
            "town": town,
            "job": job,
            "ill": ill,
            "stay": rng.integers(1, 9, n),
            "who": rng.integers(0, n // 2, n),
            "again": again,
        },
        index=pd.Index([f"{INDEX}-{i}" for i in range(n)], name=INDEX),
    )
    frame.attrs["source"] = METADATA
    return frame


ROLES = Roles(
    target="again",
    quasi=("age", "sex", "town", "job"),
    sensitive=("ill",),
    other=("stay",),
    identifiers=("name",),
)
PERSON_ROLES = Roles(
    target="again", quasi=ROLES.quasi, sensitive=("ill",), other=("stay",), identifiers=("name",), person="who"
)


def baskets(n=150, d=14, seed=5):
    """A 0/1 matrix with skewed columns, and labels that depend on two of them."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < np.linspace(0.7, 0.05, d)).astype(np.uint8)
    y = np.where(X[:, 0] + X[:, 3] + rng.random(n) > 1.4, "yes", "no")
    return X, y


# -- what the laws must know of a method ----------------------------------------------------------------------------


def random_cells(method: Method) -> bool:
    """Whether chance decides about cells, and not only about the order of rows."""
    return isinstance(method, (KActus, KActus2, PrivateTable, RandomFlip)) or getattr(method, "relaxed", False)


def recodes(method: Method) -> bool:
    """Whether a release of a table recodes new rows."""
    return not isinstance(method, RandomFlip)


def recodes_source(method: Method) -> bool:
    """Whether it then writes the rows it was made from as they were released.

    Not where groups of Mondrian overlap: a shared value is on both sides, and a label of a tree reaches beyond a group.
    """
    overlap = getattr(method, "relaxed", False) or getattr(method, "labels", None) == "hierarchy"
    return not overlap and not isinstance(method, (KActus, KActus2, PrivateTable))
