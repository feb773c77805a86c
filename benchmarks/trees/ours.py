# SPDX-License-Identifier: Apache-2.0
"""Prints what was tried for TreeLadder, on data sets other than those of the paper's study.

Accuracies as in protocol.py: C4.5, PART, naive Bayes and logistic regression learn from the release of one half and are
tested on the other; means over k and turns. The data sets are eight of DISCREET_DATA and five that are enumerated or
drawn here: balance (which side of a scale goes down), monks 1 to 3 (the third with 5 % noise), and led (digits on a
display of which 10 % of the segments are wrong, beside ten segments of noise).

  greedy, ahead       the tree as it is grown without or with a look at the next cut
  0, .69, 1.5         how strictly it is pruned
  class alone, 64 bins  TreeLadder with other parameters
"""

from __future__ import annotations

import argparse
import gzip
import itertools
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from benchmarks.trees.__main__ import line
from benchmarks.trees.protocol import LEARNERS, METHODS, accuracies
from discreet import KAdet, Roles, Table, TreeLadder
from discreet.evaluate.statistics import friedman
from discreet.foundation.progress import show, track
from discreet.learning.cross_validation import five_by_two
from discreet.methods import Method
from discreet.methods.trees.tree_ladder_ways import Way
from discreet.samples import data_file, load

Data = tuple[Table, Roles]
KS = (5, 20)


class Fixed(TreeLadder):
    """TreeLadder with a tree that is made in one way."""

    def __init__(self, k=5, *, ahead=False, strictness=0.0, **parameters):
        super().__init__(k, **parameters)
        self.ahead = ahead
        self.strictness = strictness

    _parameter_constraints = TreeLadder._parameter_constraints | {"ahead": [bool], "strictness": [float]}

    def _ways(self, trials, least):
        return [Way(least, max(least, self.trust or 0), self.ahead, self.strictness, self.bins)]


def _known(name: str, rows: int | None = None) -> Data:
    """A data set of the catalog, or some of its rows."""
    sample = load(name)
    assert isinstance(sample.data, Table)
    assert sample.roles is not None
    roles = Roles(target=sample.roles.target, quasi=sample.roles.quasi)
    return _some(sample.data.select(roles.named), rows), roles


def _some(table: Table, rows: int | None) -> Table:
    return table if rows is None else table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:rows]))


def _items(name: str, rows: int) -> Data:
    """A table that was published as baskets of one item per column, the class first."""
    with gzip.open(data_file(f"fimi/{name}.dat.gz"), "rt", encoding="ascii") as file:
        cells = np.array([text.split() for text in file])
    table, roles = _of(cells[:, 1:], cells[:, 0])
    return _some(table, rows), roles


def _of(cells: np.ndarray, label: np.ndarray) -> Data:
    names = tuple(f"a{j}" for j in range(cells.shape[1]))
    columns = {name: pa.array(cells[:, j]) for j, name in enumerate(names)}
    return Table.of(pa.table({**columns, "class": pa.array(label.astype(str))})), Roles(target="class", quasi=names)


def _balance() -> Data:
    cells = np.array(list(itertools.product(range(1, 6), repeat=4)))
    return _of(cells, np.sign(cells[:, 0] * cells[:, 1] - cells[:, 2] * cells[:, 3]))


def _monks(problem: int) -> Data:
    """Each of the 432 robots twice."""
    cells = np.repeat(np.array(list(itertools.product(*(range(1, n + 1) for n in (3, 3, 2, 3, 4, 2))))), 2, axis=0)
    a = cells.T
    label = (
        (a[0] == a[1]) | (a[4] == 1),
        (cells == 1).sum(axis=1) == 2,
        ((a[4] == 3) & (a[3] == 1)) | ((a[4] != 4) & (a[1] != 3)),
    )[problem - 1]
    if problem == 3:
        label = label ^ (np.random.default_rng(0).random(len(label)) < 0.05)
    return _of(cells.astype(str), label.astype(int))


def _led() -> Data:
    shapes = [
        "1110111",
        "0010010",
        "1011101",
        "1011011",
        "0111010",
        "1101011",
        "1101111",
        "1010010",
        "1111111",
        "1111011",
    ]
    random = np.random.default_rng(1)
    digit = random.integers(0, 10, 1000)
    cells = np.array([[*map(int, shapes[d])] for d in digit])
    cells = np.hstack([cells ^ (random.random(cells.shape) < 0.1), random.integers(0, 2, (1000, 10))])
    return _of(cells.astype(str), digit)


DATA: dict[str, Callable[[], Data]] = {
    "pima": lambda: _known("pima"),
    "ilpd": lambda: _known("ilpd"),
    "wdbc": lambda: _known("wdbc"),
    "sonar": lambda: _known("sonar"),
    "soybean": lambda: _known("soybean_test"),
    "diabetes130, 6,000 rows": lambda: _known("diabetes130", 6000),
    "chess, 1,600 rows": lambda: _items("chess", 1600),
    "mushroom, 1,600 rows": lambda: _items("mushroom", 1600),
    "balance": _balance,
    "monks 1": lambda: _monks(1),
    "monks 2": lambda: _monks(2),
    "monks 3": lambda: _monks(3),
    "led": _led,
}
TRIED: dict[str, Callable[[int], Method]] = {
    **{name: METHODS[name] for name in ("kADET", "kACTUS-2", "Mondrian, information")},
    **{
        f"{'ahead' if ahead else 'greedy'}, {strictness}": lambda k, a=ahead, s=strictness: Fixed(
            k, ahead=a, strictness=s, random_state=0
        )
        for ahead in (False, True)
        for strictness in (0.0, 0.69, 1.5)
    },
    "class alone": lambda k: TreeLadder(k, detail=0, random_state=0),
    "64 bins": lambda k: TreeLadder(k, bins=64, random_state=0),
    "TreeLadder": lambda k: TreeLadder(k, random_state=0),
}


def measured(make: Callable[[int], Method], data: Data, turns: int) -> np.ndarray:
    """The accuracy of each learner, the mean over k and turns; of kADET's tree, beside each learner."""
    (table, roles), found = data, []
    for k, fold in itertools.product(
        KS, five_by_two(len(table), 1, labels=table.column(str(roles.target)).codes)[:turns]
    ):
        train, test, method = table.take(fold.train), table.take(fold.test), make(k)
        if isinstance(method, KAdet):
            label = test.column(str(roles.target))
            right = np.array([*map(str, method.fit(train, roles).predict(test))]) == np.array(label.texts)[label.codes]
            found.append([right.mean()] * len(LEARNERS))
            continue
        release = method.release(train, roles)
        found.append([*accuracies(release.table, release.recode(test), str(roles.target)).values()])
    return np.mean(found, axis=0)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.ours", description=__doc__)
    options.add_argument("--data", nargs="*", choices=[*DATA], default=[*DATA])
    options.add_argument("--methods", nargs="*", choices=[*TRIED], default=[*TRIED])
    options.add_argument("--turns", type=int, default=2, help="of 5x2 cross-validation, at most 10")
    asked = options.parse_args()
    show()
    found = []  # data sets, methods, learners
    for name in track(asked.data, "data sets"):
        data = DATA[name]()
        found.append([measured(TRIED[method], data, asked.turns) for method in asked.methods])
    table = np.array(found)
    print(line("data, mean of the classifiers", *asked.methods))
    print(line(*["---"] * (len(asked.methods) + 1)))
    for name, values in zip(asked.data, table.mean(axis=2), strict=True):
        print(line(name, *map(float, values)))
    for place, learner in enumerate(LEARNERS):
        print(line(f"all, {learner}", *map(float, table[:, :, place].mean(axis=0))))
    print(line("all", *map(float, table.mean(axis=(0, 2)))))
    cases = np.round(table.transpose(0, 2, 1).reshape(-1, len(asked.methods)), 6)
    print(line("mean rank", *friedman(cases).ranks))


if __name__ == "__main__":
    main()
