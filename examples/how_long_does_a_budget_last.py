# SPDX-License-Identifier: Apache-2.0
"""How long does a budget last?

A clinic may spend an epsilon of 1 in a year. Every month it publishes which two facts about its patients say most about
whether they come back, and in June a synthetic table besides. The ledger adds up what was published and refuses what no
longer fits, before any row is looked at. Then the same year, planned before it began.
"""

import tempfile
from pathlib import Path

import discreet as ds
from discreet.errors import BudgetExceeded, DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LIMIT = 1.0
TABLE = ds.samples.load("clinic", rows=1000, random_state=7).data
ROLES = ds.Roles(target="readmitted", quasi=["age", "sex", "marital"])
DOMAIN = {  # public, not read from the rows
    "age": {"cuts": [30, 50, 70]},
    "sex": ["f", "m"],
    "marital": ["single", "married", "divorced", "widowed"],
    "readmitted": ["no", "yes"],
}


# %% A year of releases, each paid for from the ledger
def year(names, table):
    """What was left after each month, and the months whose release was refused."""
    left, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        ledger = ds.Ledger(Path(folder) / "ledger.sqlite")
        ledger.set_limit("clinic", epsilon=LIMIT)
        for month in MONTHS:
            planned = [ds.LaplaceSelector(epsilon=names, n_features=2, domain=DOMAIN)]
            planned += [ds.PrivateTable(epsilon=table, domain=DOMAIN)] if month == "Jun" else []
            for method in planned:
                try:
                    method.release(TABLE, ROLES, account=ledger.account("clinic"))
                except BudgetExceeded:
                    refused.append(month)
            left.append(ledger.left("clinic").epsilon)
    return left, refused


years = {"0.08 a month, then 0.4 for a table": (0.08, 0.4), "0.05 a month, 0.4 for the table": (0.05, 0.4)}
lines = []
for words, costs in years.items():
    left, refused = year(*costs)
    print(f"{words}: {', '.join(refused) + ' refused' if refused else 'nothing refused'}, {left[-1]:.2f} left.")
    lines += [
        {"month": month, "left": rest, "plan": words, "state": "refused" if month in refused else "released"}
        for month, rest in zip(MONTHS, left, strict=True)
    ]
    assert min(left) >= 0
    assert bool(refused) == (12 * costs[0] + costs[1] > LIMIT)

print("\nThe cost of differentially private releases adds up. Twelve times 0.05 and once 0.4 are 1; nothing else fits.")

# %% The plot
x = {"field": "month", "type": "ordinal", "sort": list(MONTHS), "title": None, "axis": {"labelAngle": 0}}
y = {"field": "left", "type": "quantitative", "title": "epsilon left", "scale": {"domain": [0, LIMIT]}}
colour = {"field": "plan", "type": "nominal", "scale": {"range": COLOURS[1::-1]}, "sort": None}
steps = {"mark": {"type": "line", "interpolate": "step-after"}, "encoding": {"x": x, "y": y, "color": colour}}
shape = {
    "field": "state",
    "type": "nominal",
    "scale": {"domain": ["released", "refused"], "range": ["circle", "cross"]},
}
points = {
    "mark": {"type": "point", "filled": True, "size": 80},
    "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
}
words = " ".join(f"{line['plan']}, {line['month']}: {line['left']:.2f}, {line['state']}." for line in lines)
chart = Chart("A limit of 1 for the year", spec(words, lines, layer=[steps, points], height=280))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("Plot:", chart.save("how_long_does_a_budget_last.svg"))
except DataError as reason:
    print("No plot:", reason)
