# SPDX-License-Identifier: Apache-2.0
"""The Recoder in pipelines of scikit-learn: what learnt from a release predicts original rows."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import discreet as ds
from discreet.recoding.patterns import EachColumn, Labelling, Meaning
from discreet.release.recode_rows import Recoding

WITHOUT_ROWS = {  # checks of scikit-learn that pass no matrix of numbers: a Recoder takes the rows of its release alone
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_set_params",
    "check_valid_tag_types",
}


@pytest.fixture(scope="module")
def rows():
    frame = ds.samples.load("clinic", rows=400, random_state=5).data.to_pandas()
    return frame.set_axis([f"row {i}" for i in range(400)])


@pytest.fixture(scope="module")
def roles():
    return ds.samples.load("clinic", rows=10, random_state=5).roles


@pytest.fixture(scope="module")
def release(rows, roles):
    return ds.Mondrian(k=5, random_state=1).release(rows.iloc[:300], roles)


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("recoder") / "out") / "release"


def test_a_model_that_learnt_from_a_release_predicts_original_rows(folder, rows):
    published = ds.Table.of(folder).to_pandas()
    X, y = published.drop(columns="readmitted"), published["readmitted"]
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000)).fit(X, y)
    new = rows.iloc[300:]
    whole = make_pipeline(ds.Recoder(folder), model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = whole.predict(new)
    by_hand = model.predict(ds.recode(folder, new)[X.columns])
    assert answers.tolist() == by_hand.tolist()
    assert (answers == new["readmitted"]).mean() > 0.6


def test_a_pipeline_learns_from_original_rows_in_the_form_of_the_release(folder, rows):
    steps = [ds.Recoder(folder), OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000)]
    whole = make_pipeline(*steps).fit(rows, rows["readmitted"])
    assert whole.predict(rows.head(3)).shape == (3,)
    names = whole[:-1].get_feature_names_out()
    assert not [name for name in names if name.startswith("readmitted")]  # the target is never a feature


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table])
def test_what_comes_in_comes_out(folder, rows, kind):
    given = {pd.DataFrame: rows, pl.DataFrame: pl.from_pandas(rows), pa.Table: pa.Table.from_pandas(rows)}[kind]
    recoder = ds.Recoder(folder)
    written = recoder.transform(given)
    assert isinstance(written, kind)
    names = written.column_names if kind is pa.Table else list(written.columns)
    assert names == recoder.get_feature_names_out().tolist()
    assert len(written) == 400
    if kind is pd.DataFrame:
        assert list(written.index) == list(rows.index)
        assert written.equals(ds.recode(folder, rows)[names])


def test_arrays_with_names(folder, rows):
    expected = ds.Recoder(folder).transform(rows)
    fitted = ds.Recoder(folder).fit(rows)
    assert fitted.n_features_in_ == 11
    assert fitted.feature_names_in_.tolist() == list(rows.columns)
    plain = fitted.transform(rows.to_numpy())
    assert plain.shape == (400, 8)
    assert plain[:, 0].tolist() == expected["age"].tolist()
    structured = np.array(
        [*rows[list(expected.columns)].itertuples(index=False, name=None)],
        dtype=[(name, object) for name in expected.columns],
    )
    assert ds.Recoder(folder).transform(structured)[:, 1].tolist() == expected["sex"].tolist()
    with pytest.raises(ds.DataError, match="no names of columns"):
        ds.Recoder(folder).transform(rows.to_numpy())
    with pytest.raises(ds.DataError, match="no names of columns"):
        fitted.transform(rows.to_numpy()[:, :4])


def test_set_output(folder, rows):
    assert isinstance(ds.Recoder(folder).set_output(transform="pandas").transform(pl.from_pandas(rows)), pd.DataFrame)
    assert isinstance(ds.Recoder(folder).set_output(transform="polars").transform(rows), pl.DataFrame)
    assert isinstance(ds.Recoder(folder).set_output(transform="default").transform(rows), np.ndarray)
    kept = ds.Recoder(folder).set_output(transform="pandas").fit_transform(rows)
    assert list(kept.index) == list(rows.index)
    with config_context(transform_output="polars"):
        assert isinstance(ds.Recoder(folder).transform(rows), pl.DataFrame)


def test_columns_to_give_out(folder, rows):
    recoder = ds.Recoder(folder, columns=["sex", "age"])
    few = rows.drop(columns=["diagnosis", "stay_days"])
    assert list(recoder.transform(few).columns) == ["sex", "age"]
    with pytest.raises(ds.DataError, match=r"lack 2 columns.*Recoder\(folder, columns"):
        ds.Recoder(folder).transform(few)
    with pytest.raises(ds.DataError, match="Did you mean 'age'"):
        ds.Recoder(folder, columns=["agee"]).fit()
    with pytest.raises(ds.DataError, match="'readmitted' besides its target"):
        ds.Recoder(folder, columns=["readmitted"]).fit()
    with pytest.raises(ds.DataError, match="lack 1 column of the release: 'zip'"):
        recoder.fit(rows.drop(columns="zip"))


def test_released_rows_are_not_recoded_again(folder):
    with pytest.raises(ds.DataError, match="already holds labels of the release"):
        ds.Recoder(folder).transform(ds.Table.of(folder))


def test_a_pickle_holds_the_path_alone(folder, rows):
    recoder = ds.Recoder(folder).fit(rows)
    recoder.transform(rows)
    stored = pickle.dumps(recoder)
    assert len(stored) < 1500
    again = pickle.loads(stored)
    assert again.transform(rows).equals(recoder.transform(rows))
    assert clone(recoder).get_params() == {"folder": folder, "columns": None}
    moved = pickle.loads(stored).set_params(folder=folder.parent / "nothing")
    with pytest.raises(ds.DataError):
        moved.transform(rows)


def test_a_changed_record_is_refused(release, tmp_path, rows):
    folder = release.save(tmp_path / "out") / "release"
    record = folder / "recoding.json"
    record.write_bytes(record.read_bytes().replace(b"age", b"agf", 1))
    with pytest.raises(ds.DataError, match="was changed after it was certified"):
        ds.Recoder(folder).fit(rows)


def test_releases_without_a_recoding_say_why(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (40, 4))
    folder = ds.GreedySelector(k=3).release(X, X[:, 0]).save(tmp_path / "out") / "release"
    with pytest.raises(ds.DataError, match="recoded"):
        ds.Recoder(folder).fit()


def test_kinds_are_those_of_the_release(folder, rows):
    """One row, in which a number comes as text, is read as the release was."""
    one = rows.head(1).astype({"age": str, "stay_days": str})
    assert ds.Recoder(folder).transform(one)["stay_days"].tolist() == rows.head(1)["stay_days"].tolist()
    with pytest.raises(ds.DataError) as caught:
        ds.Recoder(folder).transform(rows.head(1).assign(age="very old"))
    assert "very old" not in str(caught.value)


def test_the_applicable_checks_of_scikit_learn(folder):
    run = set()
    for estimator, check in estimator_checks_generator(ds.Recoder(folder), mark=None):
        name = getattr(check, "func", check).__name__
        if name in WITHOUT_ROWS:
            check(estimator)
            run.add(name)
    assert len(run) >= 8, run
    assert hasattr(estimator_checks, "check_estimator")
    tags = get_tags(ds.Recoder(folder))
    assert not tags.requires_fit
    assert tags.input_tags.string
    assert "Recoder(" in repr(ds.Recoder(folder))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_labels_that_are_numbers_and_truth_values_are_read_and_recoded_as_the_same_cells(format, tmp_path):
    random = np.random.default_rng(3)
    columns = {
        "smokes": random.integers(0, 2, 900),
        "insured": random.integers(0, 2, 900).astype(bool),
        "tested": random.choice([0, 1, np.nan], 900),
        "age": random.integers(20, 90, 900),
    }
    rows = pd.DataFrame(columns)
    rows["ill"] = np.where((rows["smokes"] == 1) ^ rows["insured"] ^ (rows["tested"] == 1), "yes", "no")
    roles = ds.Roles(target="ill", quasi=list(columns))
    folder = ds.TreeLadder(k=5, random_state=1).release(rows, roles).save(tmp_path / "out", format=format) / "release"
    recoded = ds.Recoder(folder).transform(rows)
    read_by_pandas = (pd.read_csv if format == "csv" else pd.read_parquet)(folder / f"data.{format}")
    for read in (ds.Table.of(folder).to_pandas(), read_by_pandas):
        for name in columns:
            assert read[name].dtype == recoded[name].dtype == ds.recode(folder, rows)[name].dtype
            assert set(recoded[name].dropna()) <= set(read[name].dropna())
        model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0))
        model.fit(read.drop(columns="ill"), read["ill"])
        assert make_pipeline(ds.Recoder(folder), model).score(rows, rows["ill"]) > 0.9
    assert pd.api.types.is_numeric_dtype(recoded["smokes"]) == (format == "csv")


@pytest.mark.filterwarnings("ignore::discreet.UnknownValuesWarning")
def test_a_value_that_fits_no_label_is_missing_among_numbers_and_suppressed_among_texts():
    plan = EachColumn((Labelling("ward", "category", ("1", "2"), (Meaning.of(["1"]), Meaning.of(["2"]))),))
    rows = ds.Table.of({"ward": ["1", "3", "2"]}, kinds={"ward": "category"})
    as_numbers = Recoding(plan, ("ward",), untyped=True)(rows).column("ward")
    assert as_numbers.kind == "number"
    assert as_numbers.to_arrow().to_pylist() == [1, None, 2]
    assert Recoding(plan, ("ward",), untyped=False)(rows).column("ward").to_arrow().to_pylist() == ["1", "*", "2"]
