# SPDX-License-Identifier: Apache-2.0
"""Would anyone notice if a release was changed?

A release comes with a certificate that names the hash of every file and carries a hash of itself. That shows accidents.
Somebody who changes the data on purpose can write a fitting certificate too; only a signature shows that. This makes a
signed release, changes it in five ways, and verifies each as a recipient without the owner's public key, and with it.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import discreet as ds
from discreet.errors import DataError
from discreet.release.signature import new_key
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

sample = ds.samples.load("clinic", rows=500, random_state=7)


# %% Five changes, each to a copy of the published folder
def one_byte(copy):
    data = bytearray((copy / "data.csv").read_bytes())
    data[-2] ^= 1
    (copy / "data.csv").write_bytes(data)


def another_k(copy):
    text = (copy / "certificate.json").read_text(encoding="utf-8")
    (copy / "certificate.json").write_text(text.replace('"k": 5', '"k": 50'), encoding="utf-8")


def one_file_more(copy):
    (copy / "names.csv").write_text("name\n", encoding="utf-8")


def signature_removed(copy):
    (copy / "certificate.sig").unlink()


def replaced_by_a_forgery(copy):
    """Other data, with a certificate that fits them: anyone who has discreet can make it."""
    forged = ds.Mondrian(k=5, random_state=8).release(sample.data.take(range(400)), sample.roles)
    shutil.rmtree(copy)
    forged.save(copy.parent / "forged")
    shutil.move(copy.parent / "forged" / "release", copy)
    shutil.rmtree(copy.parent / "forged")


# %% What each recipient finds
lines = []
with TemporaryDirectory() as temporary:
    folder = Path(temporary)
    private_key, public_key = new_key(folder / "keys")
    release = ds.Mondrian(k=5, random_state=7).release(sample.data, sample.roles)
    release.save(folder / "out", sign_with=private_key)
    for change in (None, one_byte, another_k, one_file_more, signature_removed, replaced_by_a_forgery):
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder / "out" / "release", copy)
        what = "as saved" if change is None else change.__name__.replace("_", " ")
        if change:
            change(copy)
        for recipient, key in (("without the public key", None), ("with the public key", public_key)):
            found = ds.verify(copy, public_key=key)
            lines.append({"change": what, "recipient": recipient, "found": "holds" if found.holds else "noticed"})
            assert found.holds == (change is None) or key is None
        print(f"{what}: {'holds' if found.holds else 'noticed with the public key'}")
        for problem in found.problems:
            print(f"    {problem}")

missed = [line["change"] for line in lines if line["found"] == "holds" and line["change"] != "as saved"]
print(f"\nNot noticed without the public key: {', '.join(missed)}. Get the key by another way than the release.")
assert "replaced by a forgery" in missed

# %% The plot
x = {"field": "recipient", "type": "nominal", "sort": None, "title": None, "axis": {"labelAngle": 0, "orient": "top"}}
y = {"field": "change", "type": "nominal", "sort": None, "title": None}
colour = {"field": "found", "type": "nominal", "legend": None}
colour["scale"] = {"domain": ["holds", "noticed"], "range": ["#e6e9ec", COLOURS[0]]}
cells = {"mark": {"type": "rect", "stroke": "white", "strokeWidth": 3}, "encoding": {"x": x, "y": y, "color": colour}}
ink = {"condition": {"test": "datum.found == 'noticed'", "value": "white"}, "value": "#1c2530"}
names = {"mark": "text", "encoding": {"x": x, "y": y, "text": {"field": "found"}, "color": ink}}
words = " ".join(f"{line['change']}, {line['recipient']}: {line['found']}." for line in lines)
drawn = spec(words, lines, layer=[cells, names], height={"step": 32}, padding=20)
chart = Chart("What a recipient notices", drawn)

# %% Only as a script: a notebook shows the chart by itself
try:
    print("Plot:", chart.save("would_anyone_notice_a_change.svg"))
except DataError as reason:
    print("No plot:", reason)
