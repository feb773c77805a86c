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
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

K = 5
people = ds.samples.load("clinic", rows=800, random_state=7).data
kept = {"target": "readmitted", "sensitive": ["diagnosis"], "other": ["stay_days"]}
parts = [["age", "sex", "zip"], ["occupation", "marital", "sex"]]

# %% Two releases, and what the ledger says
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

# %% Together
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

# %% The plot
lines = []
for k in (5, 10, 20, 40):
    pair = [ds.Mondrian(k, random_state=1).release(people, ds.Roles(quasi=quasi, **kept)) for quasi in parts]
    one = ds.Mondrian(k, random_state=1).release(people, ds.Roles(quasi=sorted({*parts[0], *parts[1]}), **kept))
    together = ds.attack(pair[0], people, others=pair[1:], attacks=["intersection"])[0].success.value
    single = ds.attack(one, people, attacks=["prosecutor"])[0].success.value
    chances = {"two releases together": together, "one release of all columns": single, "allowed": 1 / k}
    lines += [{"k": k, "what": what, "chance": chance} for what, chance in chances.items()]
x = {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}}
y = {"field": "chance", "type": "quantitative", "title": "chance to pick the right row", "axis": {"format": "%"}}
colour = {"field": "what", "type": "nominal", "scale": {"range": [COLOURS[1], COLOURS[0], COLOURS[5]]}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "xOffset": {"field": "what", "sort": None}}}
words = " ".join(f"k = {line['k']}, {line['what']}: {line['chance']:.0%}." for line in lines)
chart = Chart("Two k-anonymous releases do not add up to one", spec(words, lines, layer=[bars], height=280))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("can_i_release_it_twice.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
