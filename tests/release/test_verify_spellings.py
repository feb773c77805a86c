# SPDX-License-Identifier: Apache-2.0
"""Folders in which somebody wrote one value in several ways, each in a part of its own, so that all rows differ."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import Mondrian, verify
from discreet.data.storage import write_part
from instances import ROLES, people
from stored import reseal, rewritten, stored_release


@pytest.fixture(scope="module")
def released():
    return Mondrian(k=4, random_state=1).release(people(), ROLES)


@pytest.fixture
def folder(released, tmp_path):
    return stored_release(released, tmp_path / "parts").save(tmp_path / "out") / "release"


def of_one_row_each(folder, cells):
    """A release of these cells, each in a part of its own, certified as a forger would."""
    shutil.rmtree(folder / "table")
    (folder / "table").mkdir()
    for number in range(len(cells)):
        write_part(cells.slice(number, 1), folder / "table" / f"part-{number:05}.parquet")
    reseal(folder)


def padded(cells, name):
    """The column with another number of spaces behind the cell of each row."""
    texts = pa.array([f"{text}{' ' * place}" for place, text in enumerate(cells.column(name).to_pylist())])
    return cells.set_column(cells.column_names.index(name), name, texts)


def all_cells(folder):
    return pa.concat_tables([pq.read_table(path) for path in sorted((folder / "table").iterdir())])


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_second_spelling_in_every_part(folder, engine):
    """All rows differ to whoever reads the parts, however few there are of the trimmed values."""
    cells = all_cells(folder)
    of_one_row_each(folder, cells)
    assert verify(folder, engine=engine).holds
    of_one_row_each(folder, padded(cells, "sex"))
    found = verify(folder, engine=engine)
    assert not found.holds
    assert "'sex' does not write 1 of its 1 different cells as the values" in " ".join(found.problems)


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_space_in_front_of_every_text(folder, engine):
    rewritten(
        folder,
        lambda cells: cells.set_column(
            cells.column_names.index("sex"), "sex", pa.array([f" {text}" for text in cells.column("sex").to_pylist()])
        ),
    )
    assert "different cells as the values that they stand for" in " ".join(verify(folder, engine=engine).problems)


def numbers_in_parts(folder, spelt):
    """Every part with its own spelling of the number in the column "stay"."""
    cells = all_cells(folder)
    spelt = pa.chunked_array([spelt.take(pa.array(np.arange(len(cells)) % len(spelt)))])
    of_one_row_each(folder, cells.set_column(cells.column_names.index("stay"), "stay", spelt))


@pytest.mark.parametrize(
    ("spelt", "found"),
    [
        (pa.array(["1", "01", "1.0"]), "types that discreet does not write for their kinds: 'stay'"),
        (pa.array([1, 2], pa.timestamp("ns")), "types that discreet does not write for their kinds: 'stay'"),
        (pa.array([0.0, -0.0]), "'stay' writes zero with a minus sign"),
        (pa.array([2**53, 2**53 + 1]), "'stay' does not write 1 of its 1 different cells as the values"),
        (pa.array([0.5, float("nan")]), "'stay' writes 0 values in 1 ways"),
    ],
    ids=["texts", "other types", "minus zero", "more digits than a double", "not a number"],
)
def test_numbers_in_several_spellings(folder, spelt, found):
    numbers_in_parts(folder, spelt)
    verified = verify(folder)
    assert not verified.holds
    assert found in " ".join(verified.problems)


@pytest.mark.parametrize("unit", ["ns", "us"])
def test_moments_of_more_detail_than_values_have(folder, unit):
    """Moments are read in microseconds, so that nanoseconds would be a second spelling."""
    numbers_in_parts(folder, pa.array([1, 2], pa.timestamp(unit)))

    def as_dates(stated):
        for column in stated["columns"]:
            column.update(kind="date" if column["name"] == "stay" else column["kind"])

    reseal(folder, as_dates)
    found = verify(folder)
    assert found.holds == (unit == "us")
    assert found.holds or "types that discreet does not write for their kinds: 'stay'" in found.problems[0]
