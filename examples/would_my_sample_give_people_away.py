# SPDX-License-Identifier: Apache-2.0
"""Would my sample give people away?

Who is unique in a sample need not be unique in the population. Here the population is known, so that the estimates from
a sample of it can be compared with the truth: how many people are unique, and how often a name for a row is right.
"""

import numpy as np

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

everybody = ds.samples.load("clinic", rows=20_000, random_state=7).data
quasi = ["age", "sex", "occupation", "marital"]
rng = np.random.default_rng(1)

# %% Samples of three sizes
print(f"A population of {len(everybody):,} made-up patients. An outsider may know {', '.join(quasi)}.\n")
heads = {"sampled": 8, "alone in sample": 17, "unique people: estimate": 25, "truth": 7, "names right: estimate": 23}
print("".join(f"{head:>{width}}" for head, width in heads.items()) + f"{'truth':>7}")
lines = []
for fraction in (0.02, 0.1, 0.3):
    rows = np.sort(rng.choice(len(everybody), int(fraction * len(everybody)), replace=False))
    sample = everybody.take(rows)
    guess = ds.risk_of(sample, quasi, sampling_fraction=fraction)
    truth = ds.risk_of(sample, quasi, population=everybody)
    print(
        f"{fraction:>8.0%}{guess.sample.unique / len(sample):>17.0%}{guess.uniqueness.unique:>25,.0f}"
        f"{truth.population.unique:>7,}{guess.by_pitman.rate:>23.1%}{truth.individual.rate:>7.1%}"
    )
    for what, unique in (("estimate", guess.uniqueness.unique), ("truth", truth.population.unique)):
        lines.append({"sampled": f"{fraction:.0%}", "what": what, "unique": float(unique)})
    lines.append({"sampled": f"{fraction:.0%}", "what": "alone in the sample", "unique": float(guess.sample.unique)})
    assert truth.sample.unique >= (truth.individual.of_row == 1).sum(), "unique in the population, unique in the sample"

special = guess.special_uniques
worst = max(special.contributions, key=lambda name: special.contributions[name])
print(f"\nMost of what makes people stand alone involves {worst}: coarsen it first.")

# %% The plot
x = {"field": "sampled", "type": "nominal", "sort": None, "title": "share that was sampled", "axis": {"labelAngle": 0}}
y = {"field": "unique", "type": "quantitative", "title": "people"}
colour = {"field": "what", "type": "nominal", "scale": {"range": COLOURS}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "xOffset": {"field": "what", "sort": None}}}
words = " ".join(f"{line['sampled']} sampled, {line['what']}: {line['unique']:.0f}." for line in lines)
drawn = spec(words, lines, layer=[bars], height=280)
chart = Chart("Unique in the population: estimated from a sample, and counted", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("would_my_sample_give_people_away.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
