# SPDX-License-Identifier: Apache-2.0
"""What comes in as pandas comes out as pandas, everywhere: every public function that takes rows and returns rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as ds
from discreet.prepare import Binarisation, Binning

ROWS = {"age": [21, 22, 23, 61, 62, 63] * 4, "sex": ["f", "m"] * 12, "y": [0, 0, 0, 1, 1, 1] * 4}
ROLES = ds.Roles(target="y", quasi=["age", "sex"])
PANDAS = pd.DataFrame(ROWS, index=[f"r{i}" for i in range(24)])
FRAMES = {
    "pandas": PANDAS,
    "polars": pl.DataFrame(ROWS),
    "arrow": pa.table(ROWS),
    "duckdb": duckdb.from_arrow(pa.table(ROWS)),
}
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.Table, "duckdb": duckdb.DuckDBPyRelation}


@pytest.fixture(scope="module")
def release():
    return ds.Mondrian(k=4, random_state=1).release(ROWS, ROLES)


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("as_it_came") / "out") / "release"


def functions(release, folder):
    """By name: what takes rows and returns rows, in the same order."""
    selector = ds.BreachAwareSelector(folds=2, attackers="naive-bayes", learner="naive-bayes", random_state=1)
    binning = Binning.fit(PANDAS, ["age"], target="y")
    return {
        "recode": lambda rows: ds.recode(folder, rows),
        "Release.recode": release.recode,
        "Recoder.transform": ds.Recoder(folder).transform,
        "Binning.apply": binning.apply,
        "BreachAwareSelector.transform": selector.fit(PANDAS, ds.Roles("y", ["age", "sex"], sensitive="y")).transform,
    }


@pytest.mark.parametrize("kind", FRAMES)
def test_every_function_returns_the_kind_of_frame_that_it_was_given(release, folder, kind):
    for name, function in functions(release, folder).items():
        written = function(FRAMES[kind])
        assert isinstance(written, TYPES[kind]), name
        assert len(written) == 24, name
        if kind == "pandas":
            assert list(written.index) == list(PANDAS.index), name


def test_tables_files_and_mappings_become_tables(release, folder, tmp_path):
    PANDAS.to_csv(tmp_path / "rows.csv", index=False)
    for rows in (ds.Table.of(ROWS), ROWS, tmp_path / "rows.csv", str(tmp_path / "rows.csv")):
        for name, function in functions(release, folder).items():
            assert isinstance(function(rows), ds.Table), name


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "duckdb"])
def test_a_release_holds_the_kind_of_frame_that_came_in(kind):
    release = ds.Mondrian(k=4, random_state=1).release(FRAMES[kind], ROLES)
    assert isinstance(release.data, TYPES[kind])
    assert isinstance(release.to_pandas(), pd.DataFrame)
    assert isinstance(release.to_polars(), pl.DataFrame)
    assert isinstance(release.to_arrow(), pa.Table)
    assert list(release.to_pandas().index) == list(range(24))  # rows are in a new order: no index is kept


def test_the_selected_columns_of_a_frame_are_a_frame():
    X = np.random.default_rng(0).integers(0, 2, (60, 4))
    frame = pd.DataFrame(X, columns=list("abcd"), index=range(100, 160))
    selector = ds.GreedySelector(k=3).fit(frame, X[:, 0])
    kept = selector.transform(frame)
    assert isinstance(kept, pd.DataFrame)
    assert list(kept.columns) == selector.get_feature_names_out().tolist()
    assert list(kept.index) == list(range(100, 160))
    assert kept.equals(frame[kept.columns])
    assert isinstance(selector.transform(pl.DataFrame(frame)), pl.DataFrame)
    assert isinstance(selector.fit(X, X[:, 0]).transform(X), np.ndarray)
    selector.fit(frame, X[:, 0]).set_output(transform="default")
    assert isinstance(selector.transform(frame), np.ndarray)


def test_frames_can_be_binned_and_binarised():
    items = Binarisation.fit(PANDAS, ["sex"])
    assert items.apply(PANDAS, target="y").names == ("sex=f", "sex=m")
    assert Binning.fit(pl.DataFrame(ROWS), ["age"], target="y").cuts == {"age": (42.0,)}
