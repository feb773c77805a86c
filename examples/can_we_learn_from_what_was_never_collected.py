# SPDX-License-Identifier: Apache-2.0
"""Can we learn from messages that were never collected?

Each phone turns a message into a sketch, sums of secret signs over its words, and sends only that. The collector never
holds a word, and has no key to estimate one. Yet sketches of like messages are alike, so that a classifier can learn
from them. How many does it need, beside one that has the words? And what does somebody with the key get?
"""

import numpy as np
import pyarrow as pa
from sklearn.linear_model import LogisticRegression

import discreet as ds
from discreet.errors import DataError
from discreet.methods.sketches.streaming import sketch_stream
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec
from discreet.sketching.signs import Signs

WORDS = [f"word{j}" for j in range(400)]
OWN = {"order": range(150), "login": range(150, 300)}  # words of one kind of messages; the others are common
DELTA = 0.5
rng = np.random.default_rng(7)


def messages(count):
    """Messages of 40 words, by turns of both kinds."""
    kinds = ["order", "login"] * (count // 2)
    rows = np.zeros((count, len(WORDS)), dtype=int)
    for row, kind in zip(rows, kinds, strict=True):
        row[rng.choice(OWN[kind], 25, replace=False)] = 1
        row[rng.choice(range(300, 400), 15, replace=False)] = 1
    return rows, np.array(kinds)


def as_sent(rows, kinds):
    """A batch as a phone holds it: the words of each message and its kind."""
    lists = [[WORDS[place] for place in np.flatnonzero(row)] for row in rows]
    return pa.table({"items": lists, "label": kinds})


# %% Sketched where they arise: the phones share a key, which the collector does not have
method, signs = ds.DeltaSketch(DELTA), Signs(bytes(range(32)), len(WORDS))  # Signs.fresh(400) draws a key of its own
rows, kinds = messages(600)
new_rows, new_kinds = messages(200)
(sketches,) = sketch_stream([as_sent(rows, kinds)], method, signs, WORDS)
(asked,) = sketch_stream([as_sent(new_rows, new_kinds)], method, signs, WORDS)
half = [*sketch_stream([as_sent(rows[:300], kinds[:300]), as_sent(rows[300:], kinds[300:])], method, signs, WORDS)]
assert np.array_equal(np.concatenate([part.values for part in half]), sketches.values), "batches change nothing"
print(f"Each message of 40 words out of {len(WORDS)} is sent as {sketches.counts[0]} numbers.\n")

# %% What the collector learns
print(f"{'messages':>9}{'from sketches':>15}{'from words':>12}")
lines = []
for count in (50, 100, 200, 400, 600):
    learnt = ds.SketchLinearClassifier().fit(sketches.take(np.arange(count)))
    right = (learnt.predict(asked) == new_kinds).mean()
    full = LogisticRegression().fit(rows[:count], kinds[:count]).score(new_rows, new_kinds)
    print(f"{count:>9}{right:>15.0%}{full:>12.0%}")
    shares = (("sketches", right), ("words", full))
    lines += [{"n": count, "from": name, "right": float(share)} for name, share in shares]
assert right > 0.75

cells = sketches.attributes(signs)
there = rows == 1
print(f"\nWith the key, a word that is there is estimated as {cells[there].mean():.2f} on average, one that is not as")
print(
    f"{cells[~there].mean():.2f}, with a standard deviation of {cells[there].std():.2f}. A single word stays blurred,"
)
print("but records that somebody knows reveal the signs: read docs/methods/delta_sketch.md before you rely on it.")
assert cells[there].var() > DELTA

# %% The plot
x = {"field": "n", "type": "ordinal", "title": "messages that the collector has", "axis": {"labelAngle": 0}}
y = {"field": "right", "type": "quantitative", "title": "new messages sorted right", "axis": {"format": "%"}}
y["scale"] = {"domain": [0.5, 1]}
colour = {"field": "from", "type": "nominal", "scale": {"range": COLOURS}, "sort": None}
curves = {"mark": {"type": "line", "point": {"size": 70}}, "encoding": {"x": x, "y": y, "color": colour}}
words = " ".join(f"{line['n']} messages, from {line['from']}: {line['right']:.0%}." for line in lines)
chart = Chart("Learnt from sketches, and from the words themselves", spec(words, lines, layer=[curves], height=280))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("can_we_learn_from_what_was_never_collected.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
