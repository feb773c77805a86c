# SPDX-License-Identifier: Apache-2.0
"""Built-in samples other than the clinic and the market baskets, and loading by name."""

import numpy as np
import pytest

from discreet import samples
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.samples import catalog


def cells(table: Table, names) -> np.ndarray:
    return np.stack([table.column(name).numbers[table.column(name).codes] for name in names], axis=1)


def labels(table: Table, name: str) -> np.ndarray:
    return np.array(table.column(name).texts)[table.column(name).codes]


def rows(table: Table) -> list[tuple]:
    return [tuple(row.values()) for row in table.to_arrow().to_pylist()]


# -- tic-tac-toe ------------------------------------------------------------------------------------------------------


def test_tic_tac_toe_has_the_958_final_boards():
    sample = samples.tic_tac_toe()
    boards = rows(sample.data)
    assert sample.shape == (958, 10)
    assert len(set(boards)) == 958
    assert sorted(sample.data.column("class").texts) == ["negative", "positive"]
    assert sum(board[-1] == "positive" for board in boards) == 626
    for *board, _ in boards:  # x begins, so it has as many marks as o or one more
        assert board.count("x") - board.count("o") in (0, 1)
    sample.roles.check_for_release(sample.data)


@pytest.mark.data
def test_tic_tac_toe_equals_the_uci_file():
    assert rows(samples.tic_tac_toe().data) == rows(catalog.load("tic_tac_toe").data)


# -- waveform ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("attributes", [21, 40])
def test_waveform_has_three_equal_classes(attributes):
    sample = samples.waveform(6000, attributes=attributes, random_state=1)
    assert sample.shape == (6000, attributes + 1)
    assert sample.data.column("class").kind == "category"
    counts = np.bincount(sample.data.column("class").codes)
    # each count is binomial(6000, 1/3), standard deviation 36.5: six of them
    assert np.abs(counts - 2000).max() < 220
    sample.roles.check_for_release(sample.data)


def test_waveform_can_be_told_apart_as_well_as_the_book_says():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    # Bayes: 86 %. A linear rule comes near it; its error on 5000 rows has a standard deviation below 0.6 %.
    sample = samples.waveform(10_000, random_state=2)
    X, y = cells(sample.data, sample.roles.quasi), labels(sample.data, "class")
    accuracy = LinearDiscriminantAnalysis().fit(X[:5000], y[:5000]).score(X[5000:], y[5000:])
    assert 0.83 < accuracy < 0.88


def test_noise_columns_of_waveform_are_noise():
    sample = samples.waveform(20_000, attributes=40, random_state=3)
    X, y = cells(sample.data, sample.roles.quasi), labels(sample.data, "class")
    for label in "012":
        noise = X[y == label, 21:]
        assert np.abs(noise.mean(axis=0)).max() < 0.07  # standard error 0.0122
        assert np.abs(noise.std(axis=0) - 1).max() < 0.05


@pytest.mark.data
@pytest.mark.parametrize("attributes", [21, 40])
def test_waveform_resembles_the_uci_file(attributes):
    made, read = samples.waveform(20_000, attributes=attributes), catalog.load(f"waveform{attributes}")
    assert made.data.names == read.data.names
    for label in "012":
        ours = cells(made.data, made.roles.quasi)[labels(made.data, "class") == label]
        theirs = cells(read.data, read.roles.quasi)[labels(read.data, "class") == label]
        assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() < 0.25  # standard errors about 0.05
        assert np.abs(ours.std(axis=0) - theirs.std(axis=0)).max() < 0.2


def test_waveform_same_seed_same_rows():
    assert rows(samples.waveform(50, random_state=4).data) == rows(samples.waveform(50, random_state=4).data)
    assert rows(samples.waveform(50, random_state=4).data) != rows(samples.waveform(50, random_state=5).data)
    assert rows(samples.waveform(50, random_state=None).data) != rows(samples.waveform(50, random_state=None).data)


# -- wdbc -------------------------------------------------------------------------------------------------------------


def test_wdbc_has_569_rows_30_measures_and_two_classes():
    sample = samples.wdbc()
    assert sample.shape == (569, 31)
    assert len(sample.roles.quasi) == 30
    assert catalog.class_counts(sample) == {"B": 357, "M": 212}
    sample.roles.check_for_release(sample.data)


@pytest.mark.data
def test_wdbc_equals_the_uci_file():
    built_in, read = samples.wdbc(), catalog.load("wdbc")
    assert rows(built_in.data) == rows(read.data.select(built_in.data.names))


# -- loading by name --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(samples.BUILTIN))
def test_every_built_in_sample_loads_by_name_and_says_what_it_is(name):
    sample = samples.load(name)
    assert sample.name == name
    assert sample.description
    assert sample.source
    assert sample.licence
    assert name in repr(sample)
    assert sample.shape[0] == len(sample.data)


def test_options_reach_the_sample():
    assert len(samples.load("clinic", rows=37).data) == 37


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(DataError, match=r"no sample 'clinc'\. Did you mean 'clinic'\?"):
        samples.load("clinc")
    with pytest.raises(DataError, match=r"no sample 'adlt'\. Did you mean 'adult'\?"):
        samples.load("adlt")


def test_unknown_option_suggests_the_nearest():
    with pytest.raises(DataError, match=r"'clinic' has no option 'row'\. Did you mean 'rows'\?"):
        samples.load("clinic", row=5)
    with pytest.raises(DataError, match=r"'tic_tac_toe' has no option 'rows'\. It has none"):
        samples.load("tic_tac_toe", rows=5)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("clinic", {"rows": 0}, "'rows' option of the sample 'clinic' must be a whole number between 1 and 10000000"),
        ("clinic", {"rows": 2.5}, "'rows'"),
        ("clinic", {"rows": True}, "'rows'"),
        ("clinic", {"repeat": 1.5}, "'repeat' option of the sample 'clinic' must be a number between 0 and 1"),
        ("waveform", {"attributes": 20}, "'attributes' option of the sample 'waveform' must be 21 or 40. Got 20"),
        ("waveform", {"rows": "many"}, "'rows'"),
        (
            "quest",
            {"rows": 1, "classes": 2},
            "'rows' option of the sample 'quest' must be a whole number of at least 2",
        ),
        ("quest", {"mean_length": 0.5}, "'mean_length' option of the sample 'quest' must be a number of at least 1"),
        ("quest", {"skew": float("nan")}, "'skew'"),
        ("quest", {"mean_length": float("inf")}, "'mean_length'"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(DataError, match=message):
        samples.load(name, **options)


def test_names_list_built_in_samples_first_and_each_once():
    names = samples.names()
    assert names[: len(samples.BUILTIN)] == tuple(samples.BUILTIN)
    assert len(set(names)) == len(names) == len(set(samples.BUILTIN) | set(samples.CATALOG))
