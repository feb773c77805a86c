# SPDX-License-Identifier: Apache-2.0
"""What labels of each form tell about who is in a group, summed over ten tables: `python -m benchmarks.downcoding`."""

from benchmarks.downcoding.case import ROLES, Told, downcoding_table, downcoding_trees, halves, what_labels_tell
from discreet import Mondrian, TreeLadder

METHODS = {
    'Mondrian(labels="hierarchy")': Mondrian(k=5, labels="hierarchy", hierarchies=downcoding_trees()),
    "Mondrian()": Mondrian(k=5),
    'Mondrian(labels="cuts")': Mondrian(k=5, labels="cuts"),
    'Mondrian(labels="cuts", grids=...)': Mondrian(k=5, labels="cuts", grids=halves()),
    "TreeLadder()": TreeLadder(k=5),
}


def main() -> None:
    for name, method in METHODS.items():
        found = []
        for seed in range(10):
            table = downcoding_table(seed)
            found.append(what_labels_tell(table, method.release(table, ROLES).table.to_arrow().to_pylist()))
        told = {"prior": sum((one for one, _ in found), Told(0, 0))}
        for form in ("low", "cluster", "wider"):
            told[form] = sum((forms[form] for _, forms in found), Told(0, 0))
        print(f"{name}: {'; '.join(f'{form} {one}' for form, one in told.items() if one.cells)}")


if __name__ == "__main__":
    main()
