# SPDX-License-Identifier: Apache-2.0
"""Is k enough?

In a 5-anonymous table everybody shares their quasi-identifiers with four others. If all five have the same diagnosis,
their neighbour has learnt it all the same. This makes a k-anonymous release and asks it two further questions: how many
different diagnoses does each group hold (l-diversity), and how far is each group from the whole table (t-closeness)?
"""

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

sample = ds.samples.load("clinic", rows=2000, random_state=7)

# %% How diverse are the groups?
lines = []
print(f"{'k':>4}{'groups':>8}{'fewest diagnoses':>18}{'rows in groups of one':>23}{'farthest group':>16}")
for k in (2, 5, 10, 25, 50):
    release = ds.Mondrian(k=k, random_state=7).release(sample.data, sample.roles)
    diverse = ds.LDiversity(2).check(release.data, release.roles)
    close = ds.TCloseness(0.2).check(release.data, release.roles)
    groups = int(release.verdict.details["groups"])
    print(f"{k:>4}{groups:>8}{diverse.measured:>18}{diverse.rows_short:>23}{close.measured:>16.2f}")
    lines.append({"k": k, "share": diverse.rows_short / len(sample.data), "asked": "k alone"})

print("\nA group of one diagnosis tells it. Larger groups are more diverse by chance, not by promise. Promise it:")
for k in (2, 5, 10, 25, 50):
    release = ds.Mondrian(k=k, l=2, random_state=7).release(sample.data, sample.roles)
    told = release.check(ds.LDiversity(2)).rows_short
    lines.append({"k": k, "share": told / len(sample.data), "asked": "k and two diagnoses"})
    assert told == 0
print(release.verdict.sentence())
assert lines[0]["share"] > 0

# %% The plot
x = {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}}
y = {
    "field": "share",
    "type": "quantitative",
    "title": "people whose group tells the diagnosis",
    "axis": {"format": "%"},
}
colour = {"field": "asked", "type": "nominal", "scale": {"range": COLOURS[1::-1]}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "xOffset": {"field": "asked", "sort": None}}}
words = " ".join(f"k = {line['k']}, {line['asked']}: {line['share']:.1%}." for line in lines)
chart = Chart(
    "People hidden among k whose diagnosis is told all the same", spec(words, lines, layer=[bars], height=280)
)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("is_k_enough.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
