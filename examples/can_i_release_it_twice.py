# SPDX-License-Identifier: Apache-2.0
"""Can I release the same table twice?

One department gets age, sex and zip, another occupation, marital status and sex. Both releases hide everybody among
five. The columns that are published as they are stand in both, and join them: an attack shows how many persons are then
left among fewer. The ledger would have warned. Then the same with one release of all columns.
"""

import tempfile
import warnings
from pathlib import Path

import discreet as ds

K = 5
people = ds.samples.load("clinic", rows=800, random_state=7).data
kept = {"target": "readmitted", "sensitive": ["diagnosis"], "other": ["stay_days"]}
parts = [["age", "sex", "zip"], ["occupation", "marital", "sex"]]

with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ledger = ds.Ledger(Path(folder) / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=1.0)
    releases = [
        ds.Mondrian(K, random_state=1).release(people, ds.Roles(quasi=quasi, **kept), account=ledger.account("clinic"))
        for quasi in parts
    ]
for release in releases:
    print(release.verdict.sentence())
(warning,) = caught
print(f"\nThe ledger, before the second: {str(warning.message).split('.')[0]}.")

mean, worst, *told = ds.attack(releases[0], people, others=releases[1:], attacks=["intersection"])
print(f"\nTogether: a row is picked rightly with chance {mean.success.value:.0%}; k = {K} allows {mean.bound:.0%}.")
print(mean.note)
for found in told:
    print(f"{found.attack}: told of {found.success.value:.0%}, by the better release alone of {found.baseline:.0%}.")
assert worst.breaks_promise

both = ds.Mondrian(K, random_state=1).release(people, ds.Roles(quasi=sorted({*parts[0], *parts[1]}), **kept))
alone, easiest, *_ = ds.attack(both, people, attacks=["prosecutor"])
print(f"\nAll columns in one release: {alone.success.value:.0%}, of the easiest person {easiest.success.value:.0%}.")
print("Release once, with all that anyone will need.")
assert not easiest.breaks_promise
