# SPDX-License-Identifier: Apache-2.0
"""The same people are recognised under another name, others are not; nothing of them can be read without the key."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from discreet import (
    Baskets,
    DeltaSketch,
    GreedySelector,
    LaplaceSelector,
    Ledger,
    Mondrian,
    PrivacyLeakWarning,
    Roles,
)
from discreet.release.data_subjects import SIZE, DataSubjects, Likeness, overlap

KEY = bytes(range(32))
ROLES = Roles(target="back", quasi=["age", "zip", "sex"], sensitive=["ill"], identifiers=["name"], person="id")


def table(seed, n=3000):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"{seed}-{i}" for i in range(n)],
            "name": [f"name {seed} {i}" for i in range(n)],
            "age": draw.integers(18, 90, n),
            "zip": draw.integers(10000, 99999, n),
            "sex": draw.choice(["f", "m"], n),
            "ill": draw.choice(["flu", "gout", "asthma"], n),
            "back": draw.choice(["no", "yes"], n),
        }
    )


def found(one, other, roles=ROLES, other_roles=None):
    """Of each kind the overlap of two data sets."""
    these, those = DataSubjects(one, roles).likenesses(KEY), DataSubjects(other, other_roles or roles).likenesses(KEY)
    shares = [overlap(a, b) for a in these for b in those if a.kind == b.kind]
    return {share.kind: share for share in shares if share is not None and share.remarkable}


def test_the_same_rows_in_another_order_and_frame_are_recognised(tmp_path):
    rows = table(1)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    again = rows.sample(frac=1, random_state=1)[list(reversed(rows.columns))]
    for other in (
        again,
        pl.from_pandas(again),
        pa.Table.from_pandas(again, preserve_index=False),
        tmp_path / "rows.csv",
        rows.assign(age=rows.age * 1.0),
    ):
        assert set(found(rows, other)) == {"ids", "rows", "quasi"}


def test_other_people_are_not_recognised():
    assert found(table(1), table(2)) == {}


def test_some_of_the_people_are_recognised_and_their_share_is_estimated():
    rows = table(1, 6000)
    half = pd.concat([rows.iloc[:3000], table(2)])
    (share,) = {one.share for kind, one in found(rows, half).items() if kind == "quasi"}
    assert 0.4 < share < 0.6
    assert found(rows, half)["ids"].low < 0.5 < found(rows, half)["ids"].high
    assert found(rows, rows.iloc[:300])["ids"].share == 1  # a part of them, all of whom are in the whole
    few = pd.concat([rows.iloc[:100], table(2)])
    assert found(rows, few) == {}


def test_intervals_cover_the_share():
    """Of 400 pairs, 95 % or more are covered in the mean; 20 misses are expected at most, 45 come by chance once in a
    million runs."""
    draw = np.random.default_rng(5)
    hashes = draw.integers(0, 2**63, 30_000, dtype=np.uint64)
    missed = 0
    for _ in range(400):
        n, common = int(draw.integers(600, 5000)), draw.random()
        a = draw.choice(hashes, 5000, replace=False)
        others = np.setdiff1d(hashes, a)
        b = np.concatenate([a[: int(n * common)], draw.choice(others, n - int(n * common), replace=False)])
        one, other = (Likeness("ids", len(x), 0.0, np.sort(x)[:SIZE]) for x in (a, b))
        share = overlap(one, other)
        missed += not share.low - 1e-4 <= int(n * common) / n <= share.high + 1e-4
    assert missed < 45


def test_rows_that_many_have_tell_nobody_apart():
    draw = np.random.default_rng(3)
    one, other = (pd.DataFrame({"sex": draw.choice(["f", "m"], 500), "back": draw.choice([0, 1], 500)}) for _ in "ab")
    assert found(one, other, Roles(target="back", quasi=["sex"])) == {}
    coarse = [pd.DataFrame({"age": draw.integers(18, 90, 2000), "back": draw.choice([0, 1], 2000)}) for _ in "ab"]
    assert found(*coarse, Roles(target="back", quasi=["age"])) == {}


def test_other_quasi_identifiers_of_the_same_file_are_recognised():
    rows = table(1).drop(columns=["id", "name"])
    fewer = Roles(target="ill", quasi=["zip"])
    assert set(found(rows, rows, Roles(target="back", quasi=["age", "sex"]), fewer)) == {"rows"}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, Baskets.of, pd.DataFrame])
def test_baskets_and_records_are_recognised(kind):
    draw = np.random.default_rng(1)
    X, y = (draw.random((800, 40)) < 0.2).astype(int), draw.integers(0, 2, 800)
    order = draw.permutation(800)
    (one,), (two,) = DataSubjects(kind(X), y).likenesses(KEY), DataSubjects(X[order], y[order]).likenesses(KEY)
    assert overlap(one, two).share == 1
    (three,) = DataSubjects(draw.permuted(X, axis=1), y).likenesses(KEY)
    assert not overlap(two, three).remarkable


@pytest.mark.parametrize("odd", [None, "no table", 7, np.array([["text"]]), [[1, None]], {"a": [1, "x", None, []]}])
def test_what_cannot_be_read_has_no_likeness_and_is_no_error(odd):
    assert isinstance(DataSubjects(odd, None, [1]).likenesses(KEY), list)
    assert isinstance(DataSubjects(odd, ROLES).likenesses(KEY), list)


def test_odd_cells_are_no_error():
    rows = table(1, 50).astype({"age": object, "zip": object})
    for place, cell in enumerate(["x" * 1000, "", None, float("inf"), "nan", "\0", "\ud800", "2020-01-01", 10**30]):
        rows.loc[place, "age"] = str(cell)
    assert DataSubjects(rows, ROLES).likenesses(KEY)
    X = np.array([[np.nan, -1.0], [np.inf, 2.0], [0.0, 0.5]])
    assert DataSubjects(X, [0, 1, 0]).likenesses(KEY)[0].units == 3


# -- nothing leaks -----------------------------------------------------------------------------------------------------


def test_a_likeness_is_bounded_and_says_nothing_without_the_key():
    likeness = DataSubjects(table(1, 20_000), ROLES).likenesses(KEY)[0]
    assert len(likeness.hashes) == SIZE
    sealed = likeness.sealed(KEY)
    assert len(json.dumps(sealed)) < 6000
    assert sealed["hashes"] != likeness.sealed(KEY)["hashes"]  # not even that it is the same
    assert Likeness.unsealed(sealed, bytes(32)) is None
    assert np.array_equal(Likeness.unsealed(sealed, KEY).hashes, likeness.hashes)
    guess = DataSubjects(table(1, 20_000), ROLES).likenesses(bytes(32))[0]
    assert not set(guess.hashes.tolist()) & set(likeness.hashes.tolist())
    assert "hashes" not in repr(likeness)


def test_the_data_do_not_travel_with_a_pickled_release():
    release = Mondrian(k=5).release(table(1, 100), ROLES)
    assert release.owner.people is not None
    assert b"name 1 7" not in pickle.dumps(release.owner.people)


# -- the ledger --------------------------------------------------------------------------------------------------------


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.sqlite")
    for name in ("clinic", "ward"):
        made.set_limit(name, epsilon=10.0)
    return made


X, Y = (np.random.default_rng(1).random((400, 30)) < 0.3).astype(int), np.arange(400) % 2
WAYS = {
    "table": lambda **more: Mondrian(k=5).release(table(1, 300), ROLES, **more),
    "baskets": lambda **more: GreedySelector(k=5).release(X, Y, **more),
    "names": lambda **more: LaplaceSelector(0.5, n_features=2).release(X, Y, **more),
    "sketches": lambda **more: DeltaSketch(0.5).release(X, Y, **more),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("saved", [False, True])
def test_the_same_people_under_another_name_are_warned_of(ledger, tmp_path, way, saved):
    def pay(name):
        if saved:
            WAYS[way]().save(tmp_path / name, account=ledger.account(name))
        else:
            WAYS[way](account=ledger.account(name))

    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyLeakWarning)
        pay("clinic")
    said = r"'ward' seems to be about the same people as 'clinic': 100% \(95 % interval .* 100%\)"
    with pytest.warns(PrivacyLeakWarning, match=said) as caught:
        pay("ward")
    assert len(caught) == 1
    assert ledger.entries("ward")[0].warned == (str(caught[0].message),)
    ledger.set_limit("other", epsilon=1.0)
    others = Mondrian(k=5).release(table(2, 300), ROLES)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyLeakWarning)
        others.save(tmp_path / "other", account=ledger.account("other"))


def test_no_cell_and_no_hash_of_one_stands_in_the_ledger(ledger):
    WAYS["table"](account=ledger.account("clinic"))
    content = ledger.path.read_bytes()
    for cell in ("name 1 7", "1-299", "asthma"):
        assert cell.encode() not in content
    (entry,) = ledger.entries()
    for one in entry.people:
        assert set(one) == {"kind", "units", "chance", "hashes"}
    key = bytes.fromhex(json.loads(ledger._chain.key_file.read_text())["key"])
    hashes = DataSubjects(table(1, 300), ROLES).likenesses(key)[0].hashes
    assert not any(word.tobytes() in content or str(word).encode() in content for word in hashes)
