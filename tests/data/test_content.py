# SPDX-License-Identifier: Apache-2.0
"""What every content can do, whichever of the four shapes it has."""

import io

import numpy as np
import pytest

from discreet import Baskets, DataError, DeltaSketch, GreedySelector, KAdet, Mondrian, Roles, Table
from discreet.counting.partition import Partition
from discreet.counting.tally import group
from discreet.data.content import PublishedColumn
from discreet.data.document import Document
from discreet.release.certificate import CONTENTS
from discreet.release.losses import cells_told, suppressed_cells
from instances import ROLES, baskets, people

NAMES = Document.of("names", [("age", "quasi", "number")], {"names": ["age"], "noise": []})
RELEASES = {
    "table": lambda: Mondrian(5, random_state=1).release(people(), ROLES),
    "baskets": lambda: GreedySelector(5, random_state=1).release(*baskets()),
    "sketches": lambda: DeltaSketch(0.5, random_state=1).release(*baskets()),
    "model": lambda: KAdet(5, random_state=1).release(people(), ROLES),
}


@pytest.fixture(scope="module")
def releases():
    return {shape: make() for shape, make in RELEASES.items()}


@pytest.mark.parametrize("shape", RELEASES)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_read_back_equals_what_was_written(releases, shape, format, tmp_path):
    release, content = releases[shape], releases[shape].content
    columns = content.published_columns(release.roles)
    name = content.file_name(format)
    assert name in CONTENTS[shape].file_names(shape)
    content.write(tmp_path / name, format)
    again = CONTENTS[shape].read(tmp_path / name, columns, shape=shape, rows=content.n_rows)
    assert again.equals(content)
    assert content.equals(again)
    open_file = io.BytesIO()
    content.write(open_file, name.rpartition(".")[2])
    assert open_file.getvalue() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("shape", RELEASES)
def test_a_content_equals_no_other(releases, shape):
    content = releases[shape].content
    others = [release.content for name, release in releases.items() if name != shape]
    assert not any(content.equals(other) for other in [*others, NAMES])
    if content.has_rows:
        assert not content.equals(content.take(np.arange(content.n_rows)[::-1]))


@pytest.mark.parametrize("shape", RELEASES)
def test_columns_are_those_of_their_shape_alone(releases, shape):
    release = releases[shape]
    columns = release.content.published_columns(release.roles)
    kind = CONTENTS[shape]
    assert kind.fits(columns)
    assert not kind.fits([*columns, columns[-1]])
    assert not kind.fits([column._replace(sensitive=True) for column in columns])
    others = {"table", "baskets", "sketches"} - {shape}
    assert not any(CONTENTS[other].fits(columns) for other in others if shape != "model")


@pytest.mark.parametrize("shape", RELEASES)
def test_asking_a_release_for_another_shape_is_an_error(releases, shape):
    release = releases[shape]
    for name in ("table", "baskets", "sketches", "document"):
        if name == shape or (name == "document" and shape == "model"):
            assert getattr(release, name) is release.content
        else:
            with pytest.raises(DataError, match=f"This release has the shape '{shape}'"):
                getattr(release, name)


@pytest.mark.parametrize(("distinct", "items"), [(12, 150), (5000, 400), (3000, 31), (3000, 32), (40, 1)])
def test_items_of_baskets_are_packed_into_codes_that_group_rows_as_items_do(distinct, items):
    """More items than one code holds; the partition by one item after the other is the twin."""
    rng = np.random.default_rng(1)
    some = (rng.random((distinct, items)) < 0.1).astype(int)
    found = Baskets.of(np.vstack([some, some[rng.integers(0, distinct, 1000)]]))
    codes, levels = found.quasi_codes(found.names)
    assert len(found) * max(levels) < 2**62, "keys of groups would overflow, and rows that differ pass for equal"
    groups, first = group(codes, len(found), levels)
    twin = Partition.of(found)
    assert len(first) == twin.n_groups == len({tuple(row) for row in found.matrix.toarray().tolist()})
    assert len(set(zip(groups.tolist(), twin.group_of_row.tolist(), strict=True))) == len(first)


def test_suppressed_cells_are_counted():
    table = Table.of({"a": ["*", "x", "*"], "b": ["*", "*", "y"], "c": ["*", "*", "*"]})
    assert suppressed_cells(table, ["a", "b"]) == 4
    assert cells_told(table, ["a", "b"]) == 2
    assert cells_told(Baskets.of([[1, 0], [1, 1]]), ["x0", "x1"]) == 4


def test_a_document_has_no_cells(releases):
    assert (NAMES.n_rows, NAMES.has_rows, NAMES.value_columns([])) == (0, False, [])
    with pytest.raises(DataError, match="publishes no cells"):
        cells_told(NAMES, ["age"])
    for shape in ("model", "sketches"):
        content = releases[shape].content
        with pytest.raises(DataError, match=f"A release of {shape} has no cells"):
            content.quasi_codes(())
        with pytest.raises(DataError, match=f"A release of {shape} has no cells"):
            content.class_codes()
        with pytest.raises(DataError, match="cannot be counted in cells"):
            _ = releases[shape].losses


def test_a_table_states_the_role_and_kind_of_each_column():
    table = Table.of({"age": [1, 2], "ill": ["a", "b"], "y": ["n", "m"]})
    both = Roles(target="y", quasi=["age"], sensitive=["ill", "y"])
    assert table.published_columns(both) == (
        PublishedColumn("age", "quasi", "number"),
        PublishedColumn("ill", "sensitive", "category"),
        PublishedColumn("y", "target", "category", True),
    )
