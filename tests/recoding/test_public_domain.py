# SPDX-License-Identifier: Apache-2.0
import datetime
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DataError, Roles, Table
from discreet.data.cells import Cells
from discreet.recoding.public_domain import ColumnDomain, Domain

ROLES = Roles(target="y", quasi=("age", "job"))
GIVEN = {"y": [0, 1], "age": {"cuts": [40, 65]}, "job": ["nurse", "clerk"]}

CELLS = st.sampled_from(
    [
        "1",
        "1.0",
        "+1",
        "01",
        "2",
        "2.50",
        "1e1",
        "1e400",
        "9007199254740993",
        "true",
        "True",
        "x",
        "-",
        "?",
        "",
        "NA",
        "2020-01-31",
        "2020-01-31 00:00",
        "2020-01-31 7:00",
    ]
)
LEVELS = [
    ColumnDomain.of("c", [1, 2.5, "x", "9007199254740993"]),
    ColumnDomain.of("c", ["true", "false", "2020-01-31"]),
    ColumnDomain.of("c", {"cuts": [1, 2]}),
    ColumnDomain.of("c", {"cuts": [2], "missing": False}),
    ColumnDomain.of("c", {"cuts": ["2020-01-01", "2020-06-01"]}),
]


@given(st.lists(CELLS, min_size=1, max_size=6), CELLS, st.sampled_from(range(len(LEVELS))))
def test_a_cell_is_read_by_itself_whatever_the_others_hold(cells, another, which):
    """One row must not change how the other rows are counted, or the sensitivity would be the number of rows."""
    levels = LEVELS[which]
    alone = [levels.codes(Cells.of(pa.array([cell])))[0] for cell in cells]
    for column in (cells, [*cells, another]):
        assert levels.codes(Cells.of(pa.array(column)))[: len(cells)].tolist() == alone


def test_typed_columns_are_read_as_their_texts_are():
    day = datetime.date(2020, 1, 31)
    for values, texts in (
        ([1, 2, None], ["1", "2", ""]),
        ([2.5, 1.0, 7.0], ["2.5", "1", "7"]),
        ([True, False, None], ["true", "false", ""]),
        ([day, None], ["2020-01-31", ""]),
    ):
        for levels in LEVELS:
            one, other = (levels.codes(Cells.of(pa.array(cells))) for cells in (values, texts))
            assert one.tolist() == other.tolist()


def test_cells_outside_the_domain_are_empty_or_the_first_level():
    column = Cells.of(pa.array(["nurse", None, "smith", "clerk"]))
    assert ColumnDomain.of("job", ["clerk", "nurse"]).codes(column).tolist() == [1, 2, 2, 0]
    assert ColumnDomain.of("job", {"values": ["clerk", "nurse"], "missing": False}).codes(column).tolist() == [
        1,
        0,
        0,
        0,
    ]
    ages = Cells.of(pa.array(["39", "40", "old", None]))
    assert ColumnDomain.of("age", {"cuts": [40]}).codes(ages).tolist() == [0, 1, 2, 2]
    assert ColumnDomain.of("age", {"cuts": [40], "missing": False}).codes(ages).tolist() == [0, 1, 0, 0]


def test_the_target_has_no_empty_cell_unless_it_is_said():
    assert Domain.of(GIVEN, ROLES).sizes == (2, 4, 3)
    assert Domain.of(GIVEN | {"y": {"values": [0, 1], "missing": True}}, ROLES).sizes == (3, 4, 3)


def test_the_public_plan_writes_what_the_domain_writes():
    table = Table.of({"y": [0, 1, 1, 0], "age": [30, 50, None, 70], "job": ["nurse", "smith", None, "clerk"]})
    for missing in (True, False):
        given_ = {name: {("values" if isinstance(g, list) else "cuts"): g if isinstance(g, list) else g["cuts"]}
                  | {"missing": missing} for name, g in GIVEN.items()}  # fmt: skip
        domain = Domain.of(given_, ROLES)
        exact, public = domain.apply(table), domain.public.apply(table)
        for name in ROLES.quasi:
            assert public[name][0].to_arrow().equals(exact[name][0].to_arrow())


def test_a_domain_is_read_from_files(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps(GIVEN), encoding="utf-8")
    (tmp_path / "d.toml").write_text('y = [0, 1]\nage.cuts = [40, 65]\njob = ["nurse", "clerk"]\n', encoding="utf-8")
    read = [Domain.of(source, ROLES) for source in (GIVEN, tmp_path / "d.json", str(tmp_path / "d.toml"))]
    assert read[0] == read[1] == read[2]
    assert Domain.of(read[0].plain, ROLES) == read[0]
    dates = ColumnDomain.of("d", {"cuts": ["2020-01-31", "2021-05-01 12:00"]})
    assert ColumnDomain.of("d", dates.plain) == dates


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": []},
        {"cuts": []},
        {"cuts": [2, 1]},
        {"cuts": [1, 1]},
        {"cuts": ["x"]},
        {"cuts": [1], "values": [1]},
        {"values": [1], "missing": "no"},
        {"bins": 3},
        [1, "1.0"],
        ["a", None],
        ["a", "?"],
        ["a", "-"],
        ["a", "*"],
        "abc",
        7,
    ],
)
def test_domains_that_are_none_are_refused(wrong):
    with pytest.raises(DataError, match="'age'"):
        Domain.of(GIVEN | {"age": wrong}, ROLES)


def test_a_domain_has_the_published_columns_and_no_others(tmp_path):
    with pytest.raises(DataError, match="no values or cuts for 'job'"):
        Domain.of({name: GIVEN[name] for name in ("y", "age")}, ROLES)
    with pytest.raises(DataError, match="names 'jib'"):
        Domain.of(GIVEN | {"jib": [1]}, ROLES)
    with pytest.raises(DataError, match="mapping"):
        Domain.of([1], ROLES)
    with pytest.raises(DataError, match="no file"):
        Domain.of(tmp_path / "none.toml", ROLES)
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        Domain.of(tmp_path / "bad.json", ROLES)


def test_from_data_lists_what_the_rows_hold():
    table = Table.of({"y": [0, 1] * 30, "age": np.arange(60), "job": ["nurse", None] * 30})
    domain = Domain.from_data(table, ROLES)
    assert domain.plain["job"] == {"values": ["nurse"], "missing": True}
    assert len(domain.plain["age"]["cuts"]) == 9
