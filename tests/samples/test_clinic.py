# SPDX-License-Identifier: Apache-2.0
"""The clinic: sizes, kinds, roles, and that who is readmitted really depends on the other columns."""

import numpy as np
import pytest

from discreet import samples
from discreet.data.role_suggestions import suggest
from discreet.data.table import Table


def codes(table: Table, name: str) -> np.ndarray:
    return table.column(name).codes


def texts(table: Table, name: str) -> np.ndarray:
    column = table.column(name)
    return np.array([*column.texts, "missing"])[column.codes]


def test_columns_have_the_kinds_that_people_expect():
    table = samples.clinic(10_000).data
    kinds = {column.name: column.kind for column in table.columns()}
    assert kinds == {
        "patient_id": "number",
        "name": "category",
        "age": "number",
        "sex": "category",
        "zip": "category",
        "occupation": "category",
        "marital": "category",
        "admitted": "date",
        "diagnosis": "category",
        "stay_days": "number",
        "readmitted": "category",
    }
    age = table.column("age").numbers
    assert (age.min(), age.max()) == (18, 95)
    zips = table.column("zip").texts
    assert all(len(code) == 5 and code.isdigit() for code in zips)
    assert any(code.startswith("0") for code in zips)
    assert any(not code.startswith("0") for code in zips)
    assert len(table.column("diagnosis").texts) == 8


def test_missing_cells_are_in_occupation_and_marital_only():
    table = samples.clinic(20_000).data
    assert {column.name for column in table.columns() if column.has_missing} == {"occupation", "marital"}
    # binomial shares of 20,000: standard deviations 0.0012 and 0.0010
    assert np.mean(texts(table, "occupation") == "missing") == pytest.approx(0.03, abs=0.007)
    assert np.mean(texts(table, "marital") == "missing") == pytest.approx(0.02, abs=0.006)


@pytest.mark.parametrize("rows", [1, 2, 19, 20, 500, 3000])
def test_roles_fit_at_every_size(rows):
    sample = samples.clinic(rows)
    sample.roles.check(sample.data)
    assert sample.shape == (rows, 11)
    assert sample.roles.without_role(sample.data) == ()
    if rows >= 20:
        sample.roles.check_for_release(sample.data)


def test_identifiers_work_like_names():
    table = samples.clinic().data
    assert table.column("patient_id").levels == 2000
    assert table.column("name").levels > 1950
    roles = {s.column: s.role for s in suggest(table, target="readmitted")}
    assert roles["patient_id"] == roles["name"] == "identifiers"


def test_same_seed_same_table():
    assert (
        samples.clinic(300, random_state=5).data.to_arrow().equals(samples.clinic(300, random_state=5).data.to_arrow())
    )
    assert (
        not samples.clinic(300, random_state=5)
        .data.to_arrow()
        .equals(samples.clinic(300, random_state=6).data.to_arrow())
    )
    assert (
        not samples.clinic(300, random_state=None)
        .data.to_arrow()
        .equals(samples.clinic(300, random_state=None).data.to_arrow())
    )


def test_readmission_can_be_learnt_but_not_perfectly():
    from sklearn.ensemble import HistGradientBoostingClassifier

    sample = samples.clinic(12_000, random_state=1)
    table, y = sample.data, codes(sample.data, "readmitted")
    majority = max(y.mean(), 1 - y.mean())
    assert 0.60 < majority < 0.65

    def accuracy(names):
        X = np.stack([codes(table, name) for name in names], axis=1)
        model = HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(X[:8000], y[:8000])
        return model.score(X[8000:], y[8000:])

    # accuracies on 4000 rows have a standard deviation below 0.7 %
    everything = accuracy([*sample.roles.quasi, *sample.roles.sensitive, *sample.roles.other])
    assert 0.75 < everything < 0.82
    assert 0.69 < accuracy(sample.roles.quasi) < everything - 0.02


@pytest.mark.parametrize(
    ("column", "low", "high"),
    [
        ("diagnosis", "gallstones", "heart failure"),
        ("occupation", "teacher", "unemployed"),
        ("marital", "married", "widowed"),
    ],
)
def test_readmission_depends_on_each_column(column, low, high):
    table = samples.clinic(20_000).data
    readmitted = codes(table, "readmitted") == 1
    value = texts(table, column)
    assert readmitted[value == high].mean() > readmitted[value == low].mean() + 0.15


def test_readmission_depends_on_age_and_stay():
    table = samples.clinic(20_000).data
    readmitted = codes(table, "readmitted") == 1
    for name, young, old in (("age", 50, 75), ("stay_days", 3, 14)):
        value = table.column(name).numbers[codes(table, name)]
        assert readmitted[value >= old].mean() > readmitted[value <= young].mean() + 0.15


def test_diagnosis_depends_on_age_and_sex():
    table = samples.clinic(20_000).data
    age, sex, diagnosis = (
        table.column("age").numbers[codes(table, "age")],
        texts(table, "sex"),
        texts(table, "diagnosis"),
    )
    heart, depression, gallstones = (diagnosis == d for d in ("heart failure", "depression", "gallstones"))
    assert heart[age >= 75].mean() > 2 * heart[age < 50].mean()
    assert depression[age < 50].mean() > 2 * depression[age >= 75].mean()
    assert gallstones[sex == "female"].mean() > 1.3 * gallstones[sex == "male"].mean()


def test_repeat_makes_rows_of_the_same_person():
    sample = samples.clinic(1000, repeat=0.3, random_state=2)
    table = sample.data
    assert sample.roles.person == "patient_id"
    assert sample.roles.identifiers == ("name",)
    sample.roles.check_for_release(table)
    person = codes(table, "patient_id")
    assert len(np.unique(person)) == 700
    for name in ("name", "age", "sex", "zip", "occupation", "marital"):  # a person is one person in all rows
        assert len(np.unique(np.stack([person, codes(table, name)]), axis=1).T) == 700
    stays = np.stack([person, codes(table, "admitted"), codes(table, "stay_days")])
    assert len(np.unique(stays, axis=1).T) > 990


def test_everything_may_be_one_person():
    sample = samples.clinic(50, repeat=1.0)
    assert sample.data.column("patient_id").levels == 1


@pytest.mark.slow
def test_a_million_rows():
    sample = samples.clinic(1_000_000)
    assert sample.data.column("patient_id").levels == 1_000_000
    assert 0.60 < np.mean(codes(sample.data, "readmitted") == 0) < 0.65
