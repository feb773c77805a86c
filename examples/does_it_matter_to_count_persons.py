# SPDX-License-Identifier: Apache-2.0
"""Does it matter to count persons instead of rows?

A patient who was in hospital five times has five rows with the same age, sex and post code. A table in which those five
rows form a group is 5-anonymous by rows, and the group holds one person. With the role `person` a group has to hold k
different persons. This releases the same stays both ways and counts the persons behind the groups.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import discreet as ds

K = 5
sample = ds.samples.load("clinic", rows=2000, random_state=7, repeat=0.5)
roles = sample.roles
persons = sample.data.column(roles.person).levels
print(f"{len(sample.data)} stays of {persons} patients, k = {K}.\n")

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

with TemporaryDirectory() as folder:
    careful.save(Path(folder) / "out")
    outside = ds.verify(Path(folder) / "out" / "release")
    inside = ds.verify(Path(folder) / "out" / "release", owner=Path(folder) / "out" / "owner")
    assert outside.holds
    assert inside.holds
print("\nNobody outside can tell which rows belong to one patient, so nobody outside can count patients:")
print(f"  the certificate says '{outside.certificate.counted}' and '{outside.certificate.verdict.kind}'.")
print("The owner can, from the owner's folder:", inside.verdict.sentence())
