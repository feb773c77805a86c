# SPDX-License-Identifier: Apache-2.0
"""Which method keeps most for my classifier?

Every method that makes a table k-anonymous pays for it in another way: it suppresses cells, coarsens columns, or
publishes a tree instead of rows. What counts is how well a recipient's classifier does on people whom the release never
saw. Three rows in ten are set aside; each method sees the others only. The interval is of the difference to the raw
columns, in percentage points: where it holds 0, this table cannot tell.
"""

import discreet as ds
from discreet.errors import DataError
from discreet.evaluate.utility import holdout
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

sample = ds.samples.load("clinic", rows=1500, random_state=7)
methods = {
    "TreeLadder": ds.TreeLadder(k=10, random_state=7),
    "Mondrian": ds.Mondrian(k=10, random_state=7),
    "Mondrian, information": ds.Mondrian(k=10, split="information", random_state=7),
    "KActus2": ds.KActus2(k=10, random_state=7),
    "TopDownSpecialization": ds.TopDownSpecialization(k=10, random_state=7),
    "TopDownRefinement": ds.TopDownRefinement(k=10, random_state=7),
    "KAdet (a tree, no rows)": ds.KAdet(k=10),
}

# %% Each method, judged on rows that it never saw
print(f"{'method':<25}{'accuracy':>10}   {'difference':<16}{'suppressed':>10}{'uncertain':>11}")
found = {}
for name, method in methods.items():
    found[name] = utility = holdout(method, sample.data, sample.roles, random_state=7)
    difference = f"{100 * utility.difference.low:+.1f} to {100 * utility.difference.high:+.1f}"
    line = f"{name:<25}{100 * utility.accuracy_after.value:>8.1f} %   {difference:<16}"
    release = method.release(sample.data, sample.roles)
    if release.content.has_rows:
        line += f"{release.losses.information_loss:>10.0%}{release.losses.certainty_penalty:>11.0%}"
    print(line)

first = found["TreeLadder"]
print(f"{'raw columns':<25}{100 * first.accuracy_before.value:>8.1f} %")
print(f"{'no quasi-identifier':<25}{100 * first.accuracy_without_quasi.value:>8.1f} %")
best = max(found, key=lambda name: found[name].accuracy_after.value)
print(f"\n{best} keeps most here. Other tables, other k, other classifiers: measure on yours (release --evaluate).")
assert all(utility.accuracy_after.value > utility.majority.value for utility in found.values())

# %% The plot
lines = [
    {"method": name, "value": 100 * one.value, "low": 100 * one.low, "high": 100 * one.high}
    for name, one in ((name, utility.difference) for name, utility in found.items())
]
x = {"field": "value", "type": "quantitative", "title": "accuracy, less that on raw columns, in points"}
y = {"field": "method", "type": "nominal", "sort": None, "title": None}
spans = {"mark": {"type": "rule", "color": COLOURS[0]}}
spans["encoding"] = {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y}
points = {"mark": {"type": "point", "filled": True, "size": 90, "color": COLOURS[0]}, "encoding": {"x": x, "y": y}}
none = {"mark": {"type": "rule", "strokeDash": [4, 4]}, "data": {"values": [{"value": 0}]}, "encoding": {"x": x}}
words = " ".join(f"{line['method']}: {line['value']:+.1f}." for line in lines)
drawn = spec(words, lines, layer=[none, spans, points], height={"step": 32}, padding=20)
chart = Chart("What each method costs a classifier at k = 10", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("which_method_keeps_most_for_my_classifier.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
