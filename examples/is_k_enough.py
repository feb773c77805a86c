# SPDX-License-Identifier: Apache-2.0
"""Is k enough?

In a 5-anonymous table everybody shares their quasi-identifiers with four others. If all five have the same diagnosis,
their neighbour has learnt it all the same. This makes a k-anonymous release and asks it two further questions: how many
different diagnoses does each group hold (l-diversity), and how far is each group from the whole table (t-closeness)?
"""

import discreet as ds

sample = ds.samples.load("clinic", rows=2000, random_state=7)

print(f"{'k':>4}{'groups':>8}{'fewest diagnoses':>18}{'rows in groups of one':>23}{'farthest group':>16}")
for k in (2, 5, 10, 25, 50):
    release = ds.Mondrian(k=k, random_state=7).release(sample.data, sample.roles)
    diverse = ds.LDiversity(2).check(release.data, release.roles)
    close = ds.TCloseness(0.2).check(release.data, release.roles)
    groups = int(release.verdict.details["groups"])
    print(f"{k:>4}{groups:>8}{diverse.measured:>18}{diverse.rows_short:>23}{close.measured:>16.2f}")

print("\nA group of one diagnosis tells it. Larger groups are more diverse by chance, not by promise:")
both = ds.KAnonymity(5) & ds.LDiversity(3)
release = ds.Mondrian(k=25, random_state=7).release(sample.data, sample.roles)
print(both.check(release.data, release.roles).sentence())
assert release.verdict.holds
