# SPDX-License-Identifier: Apache-2.0
"""Releases in memory, stored again as a table in parts, and parts that a forger wrote."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.storage import write_part
from discreet.data.stored_table import PART, StoredTable
from discreet.release.certificate import Certificate, file_record


def stored(table, folder, *, parts=3, persons=None):
    """The table in parts, and the files that number the persons of each part."""
    folder = Path(folder)
    folder.mkdir(parents=True)
    files, people = [], []
    ends = np.linspace(0, len(table), parts + 1).astype(int)
    for number, (start, stop) in enumerate(itertools.pairwise(ends)):
        files.append(folder / PART.format(number))
        write_part(table.to_arrow().slice(start, stop - start), files[-1])
        if persons is not None:
            people.append(folder / f"persons-{number}.parquet")
            write_part(pa.table({"person": persons[start:stop].astype(np.int64)}), people[-1])
    return StoredTable(files, {column.name: column.kind for column in table.columns()}), tuple(people) or None


def stored_release(release, folder, *, parts=3):
    """The same release with its table in parts."""
    table, persons = stored(release.table, folder, parts=parts, persons=release.owner.persons)
    return replace(release, content=table, owner=replace(release.owner, persons=persons))


def reseal(folder, change=lambda stated: None):
    """State the files as they are now, as a forger would."""
    certificate = Certificate.read(folder)
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "certificate.json"]
    records = {path.relative_to(folder).as_posix(): file_record(path) for path in paths}
    stated = certificate.sealed(records).model_dump(mode="json")
    change(stated)
    again = Certificate.model_validate(stated)
    again = again.model_copy(update={"seal": again.computed_seal()})
    (folder / "certificate.json").write_bytes(again.to_bytes())


def rewritten(folder, change, *, number=1, **options):
    """Replace a part by another, certified as it is."""
    part = folder / "table" / f"part-0000{number}.parquet"
    cells = change(pq.read_table(part))
    part.unlink()
    pq.write_table(cells, part, **{"compression": "none", "store_schema": False, "write_statistics": False, **options})
    reseal(folder)
