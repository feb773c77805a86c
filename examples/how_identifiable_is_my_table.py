# SPDX-License-Identifier: Apache-2.0
"""How identifiable is my table?

Names are gone, and still most people stand alone: each further column that an outsider may know splits the groups of
people who look alike. This counts, for one column, two columns and so on, how many rows are the only one of their kind
and how many share their values with fewer than five.
"""

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

sample = ds.samples.load("clinic", rows=2000, random_state=7)
table, quasi = sample.data, sample.roles.quasi

print(f"{len(table)} made-up patients. An outsider may know {', '.join(quasi)}.\n")
print(f"{'what the outsider knows':<36}{'smallest group':>15}{'alone':>8}{'among fewer than 5':>20}")

# %% One column more that is known, each time
lines, alone_before = [], 0
for n in range(1, len(quasi) + 1):
    known = quasi[:n]
    verdict = ds.KAnonymity(5).check(table, ds.Roles(quasi=known))
    alone = int(verdict.details["unique rows"])
    text = known[0] if n == 1 else f"... and {known[-1]}"
    print(f"{text:<36}{verdict.measured:>15}{alone:>8}{verdict.rows_short:>20}")
    assert alone >= alone_before, "who is alone stays alone when more is known"
    alone_before = alone
    few = verdict.rows_short - alone
    lines += [{"known": text, "rows": alone, "what": "alone"}, {"known": text, "rows": few, "what": "among 2 to 4"}]

print("\nRemoving names is not enough: a release has to make people alike again.")

# %% The plot
x = {"field": "rows", "type": "quantitative", "title": f"of {len(table)} people"}
y = {"field": "known", "type": "nominal", "sort": None, "title": None}
colour = {"field": "what", "type": "nominal", "scale": {"range": [COLOURS[1], COLOURS[0]]}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "order": {"field": "what"}}}
words = " ".join(f"{line['known']}: {line['rows']} {line['what']}." for line in lines)
drawn = spec(words, lines, layer=[bars], height={"step": 30}, padding=20)
chart = Chart("Who stands out, the more an outsider knows", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("how_identifiable_is_my_table.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
