# SPDX-License-Identifier: Apache-2.0
"""Would anyone notice if a release was changed?

A release comes with a certificate that names the hash of every file and carries a hash of itself. That shows accidents.
Somebody who changes the data on purpose can write a fitting certificate too; only a signature shows that. This makes a
signed release and changes it in four ways.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import discreet as ds
from discreet.release.signature import new_key

sample = ds.samples.load("clinic", rows=500, random_state=7)
release = ds.Mondrian(k=5, random_state=7).release(sample.data, sample.roles)


def report(what, found):
    print(f"{what}: {'holds' if found.holds else 'does not hold'}")
    for problem in found.problems:
        print(f"    {problem}")


with TemporaryDirectory() as temporary:
    folder = Path(temporary)
    private_key, public_key = new_key(folder / "keys")
    release.save(folder / "out", sign_with=private_key)
    report("As saved", ds.verify(folder / "out" / "release", public_key=public_key))

    def changed(how):
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder / "out" / "release", copy)
        how(copy)
        return ds.verify(copy, public_key=public_key)

    def one_byte(copy):
        data = bytearray((copy / "data.csv").read_bytes())
        data[-2] ^= 1
        (copy / "data.csv").write_bytes(data)

    def another_k(copy):
        text = (copy / "certificate.json").read_text(encoding="utf-8")
        (copy / "certificate.json").write_text(text.replace('"k": 5', '"k": 50'), encoding="utf-8")

    def one_file_more(copy):
        (copy / "names.csv").write_text("name\n", encoding="utf-8")

    def no_signature(copy):
        (copy / "certificate.sig").unlink()

    for change in (one_byte, another_k, one_file_more, no_signature):
        found = changed(change)
        report(change.__name__.replace("_", " ").capitalize(), found)
        assert not found.holds
