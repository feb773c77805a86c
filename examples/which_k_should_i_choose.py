# SPDX-License-Identifier: Apache-2.0
"""Which k should I choose?

569 real patients, each with ten measures of the nuclei of their cells (the Wisconsin breast cancer set). The laboratory
that took the measures could recognise a row. A larger k hides a patient among more; the classifier that tells benign
from malignant gets less to learn from. Decide what you can spare before you look: here, five points of accuracy. Three
rows in ten are set aside, and the release never sees them.
"""

import discreet as ds
from discreet.errors import DataError
from discreet.evaluate.utility import holdout
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

SPARE = 0.05  # of accuracy, decided beforehand
sample = ds.samples.load("wdbc")
roles = ds.Roles(target="diagnosis", quasi=sample.roles.quasi[:10])

# %% Release and measure at each k
print(f"{'k':>4}{'accuracy':>10}{'cost, 95 % interval':>24}{'row picked rightly':>20}{'detail kept':>13}")
lines, chosen = [], None
for k in (2, 5, 10, 20, 40, 80):
    method = ds.Mondrian(k=k, random_state=7)
    utility = holdout(method, sample.data, roles, random_state=7)
    release = method.release(sample.data, roles)
    accuracy, cost = utility.accuracy_after.value, utility.difference
    picked = release.verdict.details["groups"] / len(sample.data)  # an attacker who knows all ten measures
    detail = 1 - release.losses.certainty_penalty
    interval = f"{-100 * cost.high:.1f} to {-100 * cost.low:.1f}"
    print(f"{k:>4}{accuracy:>10.1%}{-100 * cost.value:>8.1f}{interval:>16}{picked:>20.1%}{detail:>13.0%}")
    for what, share in (("accuracy", accuracy), ("row picked rightly", picked), ("detail kept", detail)):
        lines.append({"k": k, "what": what, "share": share})
    if -cost.value <= SPARE:
        chosen = k

before = utility.accuracy_before.value
print(f"raw{before:>11.1%}\n\nk = {chosen} is the largest that costs at most {100 * SPARE:.0f} points.")
print("The intervals are wide: 171 rows were set aside. Where yours span more than you can spare, set more aside.")
assert chosen is not None

# %% The plot
x = {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}}
y = {"field": "share", "type": "quantitative", "title": None, "axis": {"format": "%"}, "scale": {"domain": [0, 1]}}
colour = {"field": "what", "type": "nominal", "scale": {"range": COLOURS}, "sort": None}
curves = {"mark": {"type": "line", "point": {"size": 70}}, "encoding": {"x": x, "y": y, "color": colour}}
choice = {"mark": {"type": "rule", "strokeDash": [4, 4]}, "data": {"values": [{"k": chosen}]}, "encoding": {"x": x}}
words = f"Accuracy, chance of picking the right row, and detail kept, for k from 2 to 80. Chosen: k = {chosen}."
chart = Chart("What each k costs and gives, 569 patients", spec(words, lines, layer=[curves, choice], height=300))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("Plot:", chart.save("which_k_should_i_choose.svg"))
except DataError as reason:
    print("No plot:", reason)
