# SPDX-License-Identifier: Apache-2.0
"""A table on which minimal labels tell who is in a group, after A. Cohen, *Attacks on Deidentification's Defenses*.

64 clusters of 8 rows. In each of 4 columns a row of cluster c has a value from 10 c to 10 c + 4, or, now and then, one
of the rare kind, from 10 c + 5 to 10 c + 9. The hierarchy knows halves of clusters, clusters, and ever wider ranges. At
k = 5 a cluster is a group: parting it would leave fewer on one side. Whoever makes labels as narrow as the rows of a
group allow writes the lower half of a cluster where no row is of the rare kind, and the cluster where one is.
"""

from dataclasses import dataclass

import numpy as np

from discreet import Roles
from discreet.prepare.hierarchy import Hierarchy, from_paths

CLUSTERS, ROWS, COLUMNS, RARE_SHARE = 64, 8, 4, 0.04
QUASI = tuple(f"c{place}" for place in range(COLUMNS))
ROLES = Roles(target="y", quasi=QUASI, other=("cluster",))


def downcoding_table(seed: int = 0) -> dict[str, np.ndarray]:
    """The table as columns; `cluster` says whose group a row is in, for the measure."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(CLUSTERS), ROWS)
    rare = rng.random((len(cluster), COLUMNS)) < RARE_SHARE
    values = 10 * cluster[:, None] + rng.integers(0, 5, rare.shape) + 5 * rare
    table = {name: values[:, place] for place, name in enumerate(QUASI)}
    return table | {"cluster": cluster, "y": rng.permutation(np.arange(len(cluster)) % 2)}


def downcoding_trees() -> dict[str, Hierarchy]:
    """For each column: the value, half a cluster, a cluster, 2, 4, ... clusters, all."""
    paths = []
    for value in range(10 * CLUSTERS):
        widths = [5, *(10 * 2**level for level in range(6))]
        above = [f"[{value // width * width}, {(value // width + 1) * width})" for width in widths]
        paths.append((str(value), *above, "*"))
    return {name: from_paths(name, paths) for name in QUASI}


def halves() -> dict[str, list[int]]:
    """A public grid with the halves of the clusters as cells."""
    return {name: list(range(5, 10 * CLUSTERS, 5)) for name in QUASI}


@dataclass(frozen=True)
class Told:
    """How many cells of groups there are, one per group and column, and in how many exactly one row is rare."""

    cells: int
    right: int

    @property
    def share(self) -> float:
        return self.right / max(self.cells, 1)

    def __add__(self, other: "Told") -> "Told":
        return Told(self.cells + other.cells, self.right + other.right)

    def __str__(self) -> str:
        return f"{self.right} of {self.cells} ({self.share:.0%})"


def what_labels_tell(table: dict[str, np.ndarray], rows: list[dict]) -> tuple[Told, dict[str, Told]]:
    """The prior, and what holds for cells with a label of each form: "low" (half a cluster), "cluster", "wider".

    `rows` are the published rows as dictionaries. A form that tells no more than the prior has a share near it.
    """
    lone = {
        (int(c), name): int((table[name][table["cluster"] == c] % 10 >= 5).sum()) == 1
        for c in range(CLUSTERS)
        for name in QUASI
    }
    cells: dict[str, list[bool]] = {"low": [], "cluster": [], "wider": []}
    for (c, name), exactly_one in lone.items():
        labels = {row[name] for row in rows if int(row["cluster"]) == c}
        for label in labels:
            cells[_form(label, c)].append(exactly_one)
    forms = {form: Told(len(found), sum(found)) for form, found in cells.items()}
    return Told(len(lone), sum(lone.values())), forms


def _form(label: str, cluster: int) -> str:
    low, high = _ends(label)
    if low > 10 * cluster or high < 10 * cluster + 10:
        return "low"
    return "cluster" if (low, high) == (10 * cluster, 10 * cluster + 10) else "wider"


def _ends(label: str) -> tuple[float, float]:
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return float(low), float(high)
    if label.startswith("< "):
        return 0, float(label[2:])
    if label.startswith(">= "):
        return float(label[3:]), 10 * CLUSTERS
    return (float(label), float(label) + 1) if label.isdigit() else (0, 10 * CLUSTERS)
