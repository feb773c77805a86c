# SPDX-License-Identifier: Apache-2.0
"""Does cross-validation on a release flatter?

The labels in these tables are drawn by lot: there is nothing to learn, and no classifier is right more often than half
of the time. A method that looks at labels still puts rows together that share one by chance. Who cross-validates on the
published rows finds those groups again and takes them for knowledge. Rows that the method never saw do not lie.
"""

import numpy as np

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

TABLES, ROWS = 6, 160
COLUMNS = [f"q{j}" for j in range(8)]
METHODS = {
    "guided by labels": ds.Mondrian(k=5, split="information", random_state=1),
    "blind to labels": ds.Mondrian(k=5, random_state=1),
}
PROTOCOLS = {"as-published": "cross-validated on the release", "recoded": "rows that the method never saw"}

# %% The same tables, judged in both ways
rng = np.random.default_rng(5)
found = {}
for _ in range(TABLES):
    data = {name: rng.integers(0, 6, ROWS) for name in COLUMNS}
    data["label"] = rng.permutation(np.repeat(["yes", "no"], ROWS // 2))
    for protocol in PROTOCOLS:
        scores = ds.evaluate_utility(
            METHODS,
            data,
            ds.Roles(target="label", quasi=COLUMNS),
            protocol=protocol,
            folds="5-fold",
            classifiers="naive-bayes",
        )
        for name in METHODS:
            found.setdefault((name, protocol), []).append(scores.mean(name, "naive-bayes").value)

print(f"Accuracy where nothing can be learnt; mean of {TABLES} tables of {ROWS} rows.\n")
lines = []
for (name, protocol), values in found.items():
    mean, spread = np.mean(values), 1.96 * np.std(values, ddof=1) / len(values) ** 0.5
    print(f"{name:<18}{PROTOCOLS[protocol]:<32}{mean:>6.1%}  ± {spread:.1%}")
    ends = {"low": mean - spread, "high": mean + spread}
    lines.append({"method": name, "judged": PROTOCOLS[protocol], "mean": mean} | ends)
flattered = np.mean(found["guided by labels", "as-published"])
honest = np.mean(found["guided by labels", "recoded"])
print(f"\nThe release flatters by {100 * (flattered - honest):.0f} points. Set rows aside before you release anything.")
assert flattered > 0.6 > honest

# %% The plot
scale = {"domain": [0.4, 0.8]}
x = {"field": "mean", "type": "quantitative", "title": "accuracy", "axis": {"format": "%"}, "scale": scale}
y = {"field": "method", "type": "nominal", "title": None}
colour = {"field": "judged", "type": "nominal", "scale": {"range": COLOURS[1::-1]}, "sort": None}
aside = {"field": "judged", "sort": None}
both = {"y": y, "yOffset": aside, "color": colour}
spans = {"mark": "rule", "encoding": both | {"x": x | {"field": "low"}, "x2": {"field": "high"}}}
points = {"mark": {"type": "point", "filled": True, "size": 90}, "encoding": both | {"x": x}}
half = {"mark": {"type": "rule", "strokeDash": [4, 4]}, "data": {"values": [{"mean": 0.5}]}, "encoding": {"x": x}}
words = " ".join(f"{line['method']}, {line['judged']}: {line['mean']:.0%}." for line in lines)
drawn = spec(words, lines, layer=[half, spans, points], height=160, padding=20)
chart = Chart("Labels drawn by lot: the truth is one half", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("Plot:", chart.save("does_cross_validation_on_a_release_flatter.svg"))
except DataError as reason:
    print("No plot:", reason)
