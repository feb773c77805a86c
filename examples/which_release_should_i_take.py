# SPDX-License-Identifier: Apache-2.0
"""Which release should I take?

Three methods at three strengths are nine candidates. Each is measured: accuracy on held-out rows, the average chance to
pick the right person, how uncertain the published cells are. What matters more is the owner's to say. This asks with
several weights, by ranks and by values, and shows which candidates nobody needs to consider: those that another beats
by everything.
"""

import discreet as ds
from discreet.choose import choose, from_release
from discreet.errors import DataError
from discreet.evaluate.utility import holdout
from discreet.report.charts import Chart
from discreet.report.plots import front_plot

sample = ds.samples.load("clinic", rows=1500, random_state=7)
candidates = []
for k in (3, 10, 30):
    for method in (
        ds.Mondrian(k=k, random_state=7),
        ds.GreedySelector(k=k, random_state=7),
        ds.KActus2(k=k, random_state=7),
    ):
        release = method.release(sample.data, sample.roles)
        utility = holdout(method, sample.data, sample.roles)
        candidates.append(from_release(release, name=f"{method.name} k={k}", utility=utility))

# %% Choose, by several weights
equal = {"utility": 1 / 3, "risk": 1 / 3, "certainty_penalty": 1 / 3}
useful = {"utility": 0.6, "risk": 0.2, "certainty_penalty": 0.2}
safe = {"utility": 0.2, "risk": 0.6, "certainty_penalty": 0.2}

print(f"{'candidate':<16}{'accuracy':>9}{'risk':>8}{'uncertain':>11}{'E(S)':>7}{'by value':>10}  front")
found, by_value = choose(candidates, equal), choose(candidates, equal, by="value")
for candidate in found.ranking:
    utility, risk, penalty = (candidate.measures[name] for name in equal)
    scores = f"{found.scores[candidate.name]:>7.2f}{by_value.scores[candidate.name]:>10.2f}"
    front = "knee" if candidate is found.knee else "yes" if candidate in found.front else ""
    print(f"{candidate.name:<16}{utility:>9.3f}{risk:>8.3f}{penalty:>11.3f}{scores}  {front}")

print()
for words, weights in (("all the same", equal), ("mostly useful", useful), ("mostly safe", safe)):
    by_rank, by_value = choose(candidates, weights).best.name, choose(candidates, weights, by="value").best.name
    print(f"{words:<14} by rank: {by_rank:<16} by value: {by_value}")

assert found.best in found.front
assert len(found.front) < len(candidates)

# %% The plot
chart = Chart("Nine releases: what a classifier gets, what an attacker gets", front_plot(found, "utility", "risk"))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("which_release_should_i_take.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
