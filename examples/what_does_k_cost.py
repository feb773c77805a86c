# SPDX-License-Identifier: Apache-2.0
"""What does k cost?

A larger k hides a person among more people, and less of the table is left. How much worse does a classifier become?
Three rows in ten are set aside. The method sees the other rows only; a classifier learns from what it released of them
and has to predict the rows set aside, written the way the release writes its own. The cost is the difference to the
same classifier on the raw columns, in percentage points, with a 95 % interval: where the interval holds 0, this table
cannot tell.
"""

import discreet as ds
from discreet.evaluate.utility import holdout

sample = ds.samples.load("clinic", rows=10_000, random_state=7)


def line(name, accuracy, cost=None):
    shown = f"{name:<28}{100 * accuracy.value:>9.1f} %"
    if cost is not None:
        shown += f"{-100 * cost.value:>z8.1f}   from {-100 * cost.high:z.1f} to {-100 * cost.low:z.1f}"
    print(shown)


print(f"{'':<28}{'accuracy':>11}{'cost':>8}")
for k in (2, 5, 10, 25, 50, 100):
    method = ds.GreedySelector(k=k, utility="distcnt", constraint="k-anonymity", random_state=7)
    found = holdout(method, sample.data, sample.roles)
    if k == 2:
        line("no protection", found.accuracy_before)
    line(f"k = {k}", found.accuracy_after, found.difference)
line("no quasi-identifier at all", found.accuracy_without_quasi)
line("always the common class", found.majority)

assert found.accuracy_after.value > found.majority.value
print(f"\nLearnt from {found.n_train} made-up rows, tried on {found.n_test} others: {found.classifier}.")
