# SPDX-License-Identifier: Apache-2.0
"""Who stands out and because of which columns: by hand, and against plain recounting on random tables."""

import json
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from discreet import Roles, samples
from discreet.data.table import Table
from discreet.errors import RolesError
from discreet.report.inspection_text import inspection_lines
from discreet.risk.inspection import inspect_table
from discreet.risk.special_uniques import special_uniques

FOUR = {"age": [20, 20, 60, 60], "sex": ["f", "m", "f", "f"], "ill": ["no", "no", "yes", "no"]}


def test_by_hand():
    """Row 1 is alone by sex; row 0 by age and sex together; rows 2 and 3 are alike."""
    found = inspect_table(FOUR, target="ill")
    assert found.quasi == ("age", "sex")
    assert (found.risk.unique, found.together.values) == (2, 3)
    assert found.together.distinction == 3 / 4
    assert found.together.separation == 5 / 6  # one pair of six is alike
    age = next(one for one in found.columns if one.name == "age").tells
    assert (age.distinction, age.alone, age.rare_values, age.rare_rows) == (1 / 2, 0, 2, 4)
    assert age.separation == pytest.approx(4 / 6)
    assert [(one.columns, one.rows) for one in found.singling.sets] == [(("sex",), 1), (("age", "sex"), 1)]
    assert [(one.column, one.without) for one in found.changes] == [("age", 1), ("sex", 0)]


def random_table(seed, n=60, persons=False):
    rng = np.random.default_rng(seed)
    cells = {name: rng.integers(0, top, n).tolist() for name, top in zip("abcde", (2, 3, 4, 9, 30), strict=True)}
    cells["b"][0] = None
    if persons:
        cells["person"] = rng.integers(0, n // 2, n).tolist()
    return Table.of(cells), list("abcde")


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_sets_are_the_minimal_sample_uniques(seed, persons):
    table, quasi = random_table(seed, persons=persons)
    found = inspect_table(table, quasi=quasi, person="person" if persons else None)
    who = table.column("person").codes if persons else None
    slow = special_uniques(table, quasi, persons=who, max_size=4)
    wanted = Counter(tuple(name for place, name in enumerate(quasi) if int(one) >> place & 1) for one in slow.sets)
    assert {one.columns: one.rows for one in found.singling.sets} == dict(wanted)
    assert found.singling.rows == slow.scored


def alone(table, names, person=None):
    """Rows whose person shares the values with nobody else, counted in plain Python."""
    rows = list(zip(*(table.column(name).codes.tolist() for name in names), strict=True))
    who = range(len(rows)) if person is None else table.column(person).codes.tolist()
    persons = defaultdict(set)
    for row, one in zip(rows, who, strict=True):
        persons[row].add(one)
    return sum(len(persons[row]) == 1 for row in rows)


@pytest.mark.parametrize("person", [None, "person"])
@pytest.mark.parametrize("seed", range(5))
def test_leaving_out_and_adding_a_column_is_counting_anew(seed, person):
    table, names = random_table(seed, persons=person is not None)
    quasi = names[:4]
    roles = {"e": "decide"} | dict.fromkeys(quasi, "quasi")
    found = inspect_table(table, quasi=quasi, person=person, roles=roles)
    assert found.risk.unique == alone(table, quasi, person)
    for one in found.changes:
        assert one.without == alone(table, [name for name in quasi if name != one.column], person)
    assert [one.unique for one in found.besides] == [alone(table, names, person)]


def test_a_coarser_column_is_one_level_up_its_automatic_hierarchy():
    """Ages in tens of years: 21 and 23 become alike, and so do the two of the same sex."""
    ages = [21, 23, 35, 37, 49, 51, 63, 65, 77, 79]
    found = inspect_table({"age": ages, "sex": list("ffmmffmmff"), "y": [0, 1] * 5}, target="y", quasi=["age", "sex"])
    change = next(one for one in found.changes if one.column == "age")
    assert found.risk.unique == 10
    assert 0 <= change.coarser < 10
    assert change.how == "intervals with round borders"
    sex = next(one for one in found.changes if one.column == "sex")
    assert (sex.coarser, sex.how) == (None, "too few values")


def test_what_is_named_is_taken_and_what_only_looks_known_is_to_be_decided():
    found = inspect_table(FOUR, target="ill", quasi="age")
    assert found.quasi == ("age",)
    assert {one.name: one.role for one in found.columns} == {"age": "quasi", "sex": "decide", "ill": "target"}
    assert [(one.column, one.unique) for one in found.besides] == [("sex", 2)]
    assert found.roles == Roles(target="ill", quasi=["age"])
    decided = inspect_table(FOUR, roles=Roles(target="ill", quasi=["age", "sex"]))
    assert decided.quasi == ("age", "sex")
    assert decided.roles == Roles(target="ill", quasi=["age", "sex"])
    with pytest.raises(RolesError, match=r"not in the table: 'agee'\. Did you mean 'age'"):
        inspect_table(FOUR, quasi="agee")


def test_without_a_known_column_the_undecided_ones_are_looked_at():
    found = inspect_table({"glucose": [1, 2, 2, 3], "ill": ["no", "no", "yes", "no"]}, target="ill")
    assert found.undecided == ("glucose",)
    assert found.quasi == ("glucose",)
    nothing = inspect_table({"ill": ["no", "no", "yes", "no"]}, target="ill")
    assert nothing.risk is None
    assert "No column looks like a quasi-identifier" in " ".join(inspection_lines(nothing))


def test_frames_of_pandas_are_inspected_and_the_record_is_json():
    found = inspect_table(pd.DataFrame(FOUR), target="ill")
    assert found.to_dict() == inspect_table(FOUR, target="ill").to_dict()
    assert json.loads(json.dumps(found.to_dict()))["singling_out"]["sets"][0] == {"columns": ["sex"], "rows": 1}
    assert repr(found) == "Inspection(4 rows, 3 columns, 2 unique on 'age', 'sex')"


def test_it_is_said_in_words_and_no_cell_is():
    table = samples.clinic(400, random_state=3).data
    found = inspect_table(table, target="readmitted")
    said = "\n".join(inspection_lines(found))
    assert "Columns that name people, never published: 'patient_id', 'name'." in said
    assert "zip + admitted single out " in said
    assert "Decide 1 column: 'stay_days'." in said
    cells = {
        text for name in ("name", "zip", "occupation", "diagnosis", "admitted") for text in table.column(name).texts
    }
    words = set(said.replace(",", " ").replace("'", " ").split())
    assert not words & {text for text in cells if len(text) > 4}


def test_many_columns_are_looked_at_in_pairs_of_those_that_tell_most(monkeypatch):
    from discreet.risk import inspection_sets

    monkeypatch.setattr(inspection_sets, "_EFFORT", 100)
    monkeypatch.setattr(inspection_sets, "_MOST_PAIRED", 3)
    table, quasi = random_table(1)
    found = inspect_table(table, quasi=quasi)
    assert found.singling.of == ("b", "d", "e")  # of 4 values, missing included, as c, which comes later
    assert found.singling.largest == 2
    assert {len(one.columns) for one in found.singling.sets} <= {1, 2}
    assert {one.columns for one in found.singling.sets} <= {*combinations("bde", 2), ("b",), ("d",), ("e",)}
