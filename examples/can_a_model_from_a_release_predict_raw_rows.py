# SPDX-License-Identifier: Apache-2.0
"""Can a model that learnt from a release predict raw rows?

A release says "[35, 52)" where a new patient is 41. A model that learnt the labels of the release has never seen 41.
Whoever feeds it raw rows all the same loses what the release kept. `ds.Recoder` writes raw rows as the release would,
from the published folder alone, and goes before the model in a pipeline.
"""

import tempfile
from pathlib import Path

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

QUASI = ["age", "sex", "zip", "occupation", "marital"]
people = ds.samples.load("clinic", rows=2400, random_state=7).data.to_pandas()[[*QUASI, "readmitted"]]
known, new = people.iloc[:1600], people.iloc[1600:]
roles = ds.Roles(target="readmitted", quasi=QUASI)


def learnt(rows, numbers=()):
    """A logistic regression; columns that are not numbers are categories."""
    categories = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((StandardScaler(), list(numbers)), remainder=categories)
    return make_pipeline(columns, LogisticRegression(max_iter=500)).fit(rows[QUASI], rows["readmitted"])


# %% Learn from releases of ever larger groups
raw = learnt(known, numbers=["age"]).score(new[QUASI], new["readmitted"])
common = max((new["readmitted"] == label).mean() for label in ("no", "yes"))
print(f"Learnt from raw rows: {raw:.1%} of {len(new)} new patients right. Always the common answer: {common:.1%}.\n")
print(f"{'k':>4}{'raw rows as they are':>22}{'recoded first':>15}")
lines = []
for k in (5, 20, 80):
    with tempfile.TemporaryDirectory() as folder:
        release = ds.Mondrian(k=k, split="information", random_state=1).release(known, roles)
        release.save(Path(folder) / "out")
        published = Path(folder) / "out" / "release"
        model = learnt(ds.Table.of(published).to_pandas())  # the recipient has this folder and nothing else
        careless = model.score(new[QUASI].astype({"age": str}), new["readmitted"])
        careful = model.score(ds.Recoder(published).transform(new), new["readmitted"])
    print(f"{k:>4}{careless:>22.1%}{careful:>15.1%}")
    lines += [{"k": k, "rows": "raw rows as they are", "right": float(careless)}]
    lines += [{"k": k, "rows": "rows recoded first", "right": float(careful)}]
assert sum(line["right"] for line in lines[1::2]) > sum(line["right"] for line in lines[::2])

# %% The plot
x = {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}}
y = {"field": "right", "type": "quantitative", "title": "new patients right", "axis": {"format": "%"}}
y["scale"] = {"domain": [0.55, 0.8]}
colour = {"field": "rows", "type": "nominal", "scale": {"range": COLOURS[1::-1]}, "sort": None}
curves = {"mark": {"type": "line", "point": {"size": 70}}, "encoding": {"x": x, "y": y, "color": colour}}
levels = [{"right": raw, "name": "learnt from raw rows"}, {"right": float(common), "name": "always the common answer"}]
rules = {"mark": {"type": "rule", "strokeDash": [4, 4]}, "data": {"values": levels}, "encoding": {"y": y}}
names = {
    "mark": {"type": "text", "align": "right", "dy": 9},
    "data": {"values": levels},
    "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "name"}},
}
words = " ".join(f"k = {line['k']}, {line['rows']}: {line['right']:.0%}." for line in lines)
drawn = spec(words, lines, layer=[rules, names, curves], height=280)
chart = Chart("A model from a release, asked about raw rows", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("can_a_model_from_a_release_predict_raw_rows.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
