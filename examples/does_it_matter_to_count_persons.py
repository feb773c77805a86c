# SPDX-License-Identifier: Apache-2.0
"""Does it matter to count persons instead of rows?

A patient who was in hospital five times has five rows with the same age, sex and post code. A table in which those five
rows form a group is 5-anonymous by rows, and the group holds one person. With the role `person` a group has to hold k
different persons. This releases the same stays both ways and counts the persons behind the groups.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import discreet as ds
from discreet.errors import DataError
from discreet.report.charts import Chart
from discreet.report.plots import COLOURS, spec

K = 5
sample = ds.samples.load("clinic", rows=2000, random_state=7, repeat=0.5)
roles = sample.roles
persons = sample.data.column(roles.person).levels
print(f"{len(sample.data)} stays of {persons} patients, k = {K}.\n")

# %% Released both ways
# The same roles, but with the patients' number as one identifier more: each row counts as a person.
by_row = ds.Roles(
    target=roles.target,
    quasi=roles.quasi,
    sensitive=roles.sensitive,
    other=roles.other,
    identifiers=(*roles.identifiers, roles.person),
)
careless = ds.Mondrian(k=K, random_state=7).release(sample.data, by_row)
careful = ds.Mondrian(k=K, random_state=7).release(sample.data, roles)

# What the careless release does to the persons: write the stays as it writes them, and count again with `person`.
recoded = careless.recode(sample.data)
with_person = recoded.with_columns([sample.data.column(roles.person)])
real = ds.KAnonymity(K).check(with_person, ds.Roles(quasi=roles.quasi, person=roles.person))

print(f"counted in rows:    {careless.verdict.sentence()}")
print(f"  but in persons:   {real.sentence()}")
print(f"counted in persons: {careful.verdict.sentence()}")
assert careful.verdict.measured >= K
assert real.measured < K

# %% What can be verified
with TemporaryDirectory() as folder:
    careful.save(Path(folder) / "out")
    outside = ds.verify(Path(folder) / "out" / "release")
    inside = ds.verify(Path(folder) / "out" / "release", owner=Path(folder) / "out" / "owner")
    assert outside.holds
    assert inside.holds
print("\nNobody outside can tell which rows belong to one patient, so nobody outside can count patients:")
print(f"  the certificate says '{outside.certificate.counted}' and '{outside.certificate.verdict.kind}'.")
print("The owner can, from the owner's folder:", inside.verdict.sentence())


# %% The plot
def stays_by_persons(release, name):
    """How many stays are in groups of 1, 2, ... different patients."""
    written = release.recode(sample.data).to_pandas()
    written["patient"] = sample.data.column(roles.person).codes
    groups = written.groupby(list(roles.quasi), dropna=False)["patient"]
    persons = groups.transform("nunique").clip(upper=2 * K)
    return [{"persons": int(p), "stays": int(n), "counted": name} for p, n in persons.value_counts().items()]


lines = stays_by_persons(careless, "rows counted") + stays_by_persons(careful, "persons counted")
assert min(line["persons"] for line in lines if line["counted"] == "persons counted") >= K
x = {"field": "persons", "type": "ordinal", "title": f"different patients in the group ({2 * K}: or more)"}
x["axis"] = {"labelAngle": 0}
y = {"field": "stays", "type": "quantitative"}
colour = {"field": "counted", "type": "nominal", "scale": {"range": COLOURS[1::-1]}, "sort": None}
bars = {"mark": "bar", "encoding": {"x": x, "y": y, "color": colour, "xOffset": {"field": "counted", "sort": None}}}
short = sum(line["stays"] for line in lines if line["persons"] < K)
words = (
    f"Stays by the number of patients in their group; {short} are among fewer than {K}, all where rows were counted."
)
chart = Chart(f"Both releases are {K}-anonymous, by their own count", spec(words, lines, layer=[bars], height=280))

# %% Only as a script: a notebook shows the chart by itself
try:
    print("\nPlot:", chart.save("does_it_matter_to_count_persons.svg"))
except DataError as reason:
    print("\nNo plot:", reason)
