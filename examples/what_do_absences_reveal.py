# SPDX-License-Identifier: Apache-2.0
"""What do absences reveal?

Under containment, whoever knows things that a person bought is left with at least k persons. But shops and friends also
know what somebody never buys. Here an attacker knows everything that a person bought and, one after the other, a few
things that the person did not buy. Then the repairs: promise it for absences too, and see what can still be published.
"""

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

K = 5
baskets = ds.samples.quest(1500, items=80, mean_length=8, patterns=60, classes=2, random_state=3).data
release = ds.GreedySelector(k=K, utility="distcnt", random_state=1).release(baskets)
print(f"{len(baskets)} baskets of {len(baskets.names)} items; {len(release.columns)} items are published.")
print(release.verdict.sentence(), "\n")

# %% What each absence that is known adds
print(f"{'absences known':<16}{'fewest persons left':>20}{f'baskets among fewer than {K}':>30}")
lines = []
for known in (0, 1, 2, 3):
    verdict = ds.Containment(K, absences=known).check(release.data)
    print(f"{known:<16}{verdict.measured:>20}{verdict.rows_short:>30}")
    lines.append({"known": str(known), "short": verdict.rows_short})
everything = ds.KAnonymity(K).check(release.data)
print(f"{'all':<16}{everything.measured:>20}{everything.rows_short:>30}")
lines.append({"known": "all", "short": everything.rows_short})
assert lines[0]["short"] == 0
assert everything.rows_short >= lines[-2]["short"] > 0

# %% What can be published if absences are known
print("\nItems that can be published when the promise covers")
for words, settings in {
    "presences": {},
    "presences and one absence": {"absences": 1},
    "presences and all absences": {"constraint": "k-anonymity"},
}.items():
    repaired = ds.GreedySelector(k=K, utility="distcnt", random_state=1, **settings).release(baskets)
    print(f"  {words:<28}{len(repaired.columns):>3}")
    assert repaired.verdict.holds

# %% The plot
x = {"field": "known", "type": "nominal", "sort": None, "title": "absences that are known", "axis": {"labelAngle": 0}}
y = {"field": "short", "type": "quantitative", "title": f"baskets among fewer than {K}"}
bars = {"mark": {"type": "bar", "color": COLOURS[1]}, "encoding": {"x": x, "y": y}}
numbers = {"mark": {"type": "text", "dy": -8}, "encoding": {"x": x, "y": y, "text": {"field": "short"}}}
words = "; ".join(f"{line['known']} known: {line['short']}" for line in lines)
drawn = spec(f"Baskets left among fewer than {K}. Absences {words}.", lines, layer=[bars, numbers], height=280)
chart = Chart(f"{K}-anonymous by containment, and what absences undo", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("what_do_absences_reveal.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
