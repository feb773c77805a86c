# SPDX-License-Identifier: Apache-2.0
"""Which words of private messages may be published?

A word that one person alone uses gives the person away; so does a combination of ordinary words. Under containment,
whoever knows some words that a message has is left with at least k messages. Words are added while that stays true,
those first that tell the two kinds of messages best apart.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

MESSAGES = [
    ("order", "please send the invoice for the last order"),
    ("order", "the invoice for my order is wrong"),
    ("order", "my order came without an invoice"),
    ("order", "send my order to Rosenheim please"),
    ("order", "the order is wrong please help"),
    ("order", "can you send the invoice to my sister"),
    ("login", "the password is wrong and the login fails"),
    ("login", "please help my login fails"),
    ("login", "send me a new password please"),
    ("login", "my password is gone and the login fails"),
    ("login", "the login page is slow"),
    ("login", "please reset the password of my violin school"),
]
K = 3

# %% Select
labels, texts = zip(*MESSAGES, strict=True)
messages = ds.Baskets.from_text(texts, labels)
before = ds.privacy.containment_anonymity(messages)
print(f"{len(messages)} messages, {len(messages.names)} words.")
print(f"All words published: somebody would be hidden among {before}.\n")

method = ds.GreedySelector(k=K, utility="hamdist", random_state=7)
release = method.release(messages)
print(f"At k = {K} these words can be published: {', '.join(release.columns)}.")
print(release.verdict.sentence())

tried = [step["feature"] for step in release.owner.trace if not step["kept"]]
assert "violin" in tried
assert "violin" not in release.columns
print(f"{len(tried)} words were left out; 'violin', which one message has, is among them.\n")

# %% What it leaves open
details = release.verdict.details
print("What containment leaves open: an outsider who also knows which words a message does NOT have.")
print(f"Against that, {int(details['rows in groups below k'])} of {len(messages)} messages are among fewer than {K}.")

strict = ds.GreedySelector(k=K, constraint="k-anonymity", random_state=7).release(messages)
print(f"Under k-anonymity, which covers absences too, these are left: {', '.join(strict.columns)}.")

with TemporaryDirectory() as folder:
    release.save(Path(folder) / "out")
    published = Path(folder) / "out" / "release"
    assert ds.verify(published).holds
    items = {word for row in pq.read_table(published / "data.parquet").column("items").to_pylist() for word in row}
assert items == set(release.columns)
print(f"\nSaved and verified; the file holds {len(items)} words and no other.")

# %% The plot
lines = []
for k in (2, 3, 4, 5, 6):
    for constraint, known in (("containment", "words it has"), ("k-anonymity", "words it has, words it lacks")):
        picked = ds.GreedySelector(k=k, constraint=constraint).fit(messages.matrix, labels)
        lines.append({"k": k, "words": len(picked.order_), "known": known})
x = {"field": "k", "type": "ordinal", "axis": {"labelAngle": 0}}
y = {"field": "words", "type": "quantitative", "title": "words that may be published", "axis": {"tickMinStep": 1}}
colour = {"field": "known", "type": "nominal", "scale": {"range": COLOURS}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "xOffset": {"field": "known", "sort": None}}}
words = " ".join(f"k = {line['k']}, {line['known']}: {line['words']} words." for line in lines)
drawn = spec(words, lines, layer=[bars], height=280)
chart = Chart(f"What may be published of {len(messages.names)} words, by what others know of a message", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("select_words_under_containment.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
