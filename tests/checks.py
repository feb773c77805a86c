# SPDX-License-Identifier: Apache-2.0
"""The laws that every method obeys. Each check takes an Instance and raises AssertionError."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import oracles
import planted
from discreet import Baskets, CannotRelease, DataError, LeftOutWarning, Roles, Table, recode, verify
from discreet.data.formulas import neutral
from discreet.errors import DiscreetError
from discreet.privacy.k_map import population_bound
from discreet.release.certificate import CERTIFICATE
from discreet.report.public_page import summarise_public, to_public_page
from instances import (
    MARKERS,
    NAME,
    PERSON_ROLES,
    RARE,
    ROLES,
    baskets,
    people,
    random_cells,
    recodes,
    recodes_source,
)

# -- looking at what was written, without any of the library's readers ------------------------------------------------


def published_rows(folder: Path) -> list[dict]:
    """The rows of a published table, read by Python's own CSV reader."""
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def published_bytes(folder: Path) -> bytes:
    """Every byte of every published file, the names of the files, and the public report, which may be published too."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    report = to_public_page(summarise_public(folder)).encode() if (folder / CERTIFICATE).is_file() else b""
    return b"\n".join([str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes() for path in files] + [report])


def measured(rows: list[dict], method, quasi: list[str], persons=None) -> int:
    """The promise's own measure on published rows, by the slow twin."""
    if hasattr(method.promise, "m") or type(method.promise).__name__ == "Containment":
        sets = [{name for name in quasi if row[name] == "1"} for row in rows]
        return measured_items(sets, [row.get(ROLES.target) for row in rows], method.promise, persons)
    if getattr(method, "label_known", False):
        label = [name for name in rows[0] if name.lstrip("'") == ROLES.target or name == neutral(ROLES.target)]
        quasi = [*quasi, *label]
    smallest = oracles.k_anonymity([tuple(row[name] for name in quasi) for row in rows], persons)
    fraction = getattr(method.promise, "fraction", None)
    return smallest if fraction is None else population_bound(smallest, fraction)


def measured_items(sets: list[set], labels: list, promise, persons=None) -> int:
    """As `measured`, of the items that rows have."""
    if hasattr(promise, "m"):
        return oracles.km_anonymity(sets, promise.m, persons)
    if promise.label_known:
        sets = [have | {f"label {label}"} for have, label in zip(sets, labels, strict=True)]
    if type(promise).__name__ == "Containment":
        return oracles.containment(sets, promise.absences, persons)
    return oracles.k_anonymity([frozenset(row) for row in sets], persons)


@cache
def released(instance):
    """A release for laws that only look at it."""
    return instance.make(5).release(people(), ROLES)


def save(method, folder, data=None, roles=ROLES, **options) -> Path:
    release = method.release(people() if data is None else data, roles)
    return release.save(folder, **options) / "release"


def contents(rows: list[dict], instance) -> Counter:
    """The rows without their order; where chance decides about cells, only what is published as it is."""
    as_it_is = (ROLES.target, *ROLES.sensitive, *ROLES.other)
    names = as_it_is if random_cells(instance.make(5)) else None
    return Counter(str(sorted((name, row[name]) for name in names or row)) for row in rows)


# -- the laws ---------------------------------------------------------------------------------------------------------


def check_the_promise_holds_on_the_saved_files(instance, tmp_path):
    few = type(instance.make(5).promise).__name__ == "Containment" and instance.make(5).promise.label_known
    for k in (2, 3, 5, 10, 40)[: 4 if few else 5]:  # of one label no item is shared by 40
        method = instance.make(k)
        release = method.release(people(), ROLES)
        folder = release.save(tmp_path / f"k{k}") / "release"
        rows = published_rows(folder)
        assert measured(rows, method, release.roles.quasi) == release.verdict.measured >= k
        dropped = release.changes.rows_dropped  # suppressed rows are there and count; a few may be left out
        assert len(rows) == len(people()) - dropped
        assert dropped < k
        found = verify(folder)
        assert found.holds, found.problems
        assert found.verdict == release.verdict
        assert verify(release.save(tmp_path / f"parquet{k}", format="parquet") / "release").holds


def check_nothing_hidden_survives_in_any_byte(instance, tmp_path):
    for format in ("csv", "parquet"):
        folder = released(instance).save(tmp_path / format, format=format) / "release"
        content = published_bytes(folder)
        for marker in MARKERS:
            assert marker.encode() not in content, f"{marker} is in the published {format} release"
        for word in (b"pandas", b"__index_level", b"hidden_column"):
            assert word not in content
    arrow = pa.Table.from_pandas(people()).replace_schema_metadata({"source": MARKERS[4]})
    content = published_bytes(save(instance.make(5), tmp_path / "arrow", arrow, format="parquet"))
    assert not any(marker.encode() in content for marker in MARKERS)


def check_identifiers_and_columns_without_a_role_are_not_published(instance, tmp_path):
    release = released(instance)
    assert {"name", "hidden_column", "who"}.isdisjoint(release.columns)
    assert {"again", "ill", "stay"} <= set(release.columns)


def check_columns_that_are_published_as_they_are_stay_together(instance, tmp_path):
    """Target, sensitive and other cells of a row stay in one row, none is changed."""
    frame = people()
    rows = published_rows(save(instance.make(4), tmp_path / "out"))
    before = Counter(zip(frame["again"], frame["ill"], frame["stay"].astype(str), strict=True))
    after = Counter((row["again"], row["ill"], row["stay"]) for row in rows)
    assert after <= before
    assert after.total() > before.total() - 4  # fewer than k are left out, if any


def check_row_order_tells_nothing(instance, tmp_path):
    """The same rows in another order give the same bytes; another seed gives another order."""
    frame = people()
    rng = np.random.default_rng(0)
    one = save(instance.make(5, seed=1), tmp_path / "one", frame)
    shuffled = save(instance.make(5, seed=1), tmp_path / "shuffled", frame.iloc[rng.permutation(len(frame))])
    assert published_bytes(one) == published_bytes(shuffled)
    other = save(instance.make(5, seed=2), tmp_path / "other", frame)
    assert contents(published_rows(one), instance) == contents(published_rows(other), instance)
    assert published_rows(one) != published_rows(other)


def check_without_a_seed_every_order_is_fresh(instance, tmp_path):
    one, other = (published_rows(save(instance.make(5), tmp_path / name)) for name in ("one", "other"))
    assert contents(one, instance) == contents(other, instance)
    assert one != other


def check_same_seed_same_bytes(instance, tmp_path):
    releases = [instance.make(5, seed=9).release(people(), ROLES) for _ in range(2)]
    for format in ("csv", "parquet"):
        saved = [one.save(tmp_path / format / str(n), format=format) / "release" for n, one in enumerate(releases)]
        assert published_bytes(saved[0]) == published_bytes(saved[1])


def check_the_seed_is_not_published(instance, tmp_path):
    content = published_bytes(save(instance.make(5, seed=77315533204961), tmp_path / "out"))
    assert b"77315533204961" not in content
    assert b"seed" not in content
    assert b"random_state" not in content


def check_every_kind_of_frame_gives_the_same_release(instance, tmp_path):
    """And the kind of frame that came in comes out, unless a model does."""
    frame = people().reset_index(drop=True)
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    frame.to_csv(tmp_path / "people.csv", index=False)
    pq.write_table(arrow, tmp_path / "people.parquet")
    sources = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "arrow": arrow,
        "duckdb": duckdb.from_arrow(arrow),
        "csv": tmp_path / "people.csv",
        "parquet": str(tmp_path / "people.parquet"),
    }
    releases = {kind: instance.make(5, seed=4).release(source, ROLES) for kind, source in sources.items()}
    content = {published_bytes(one.save(tmp_path / f"out-{kind}") / "release") for kind, one in releases.items()}
    assert len(content) == 1, "releases differ by kind of source"
    for kind in ("pandas", "polars", "arrow", "duckdb"):
        if "model" not in instance.shapes:
            assert type(releases[kind].data) is type(sources[kind])


def check_arguments_are_not_changed(instance, tmp_path):
    frame, method = people(), instance.make(5, seed=1)
    before, parameters = frame.copy(deep=True), dict(method.get_params())
    method.release(frame, ROLES)
    assert method.get_params() == parameters
    assert frame.equals(before)


def check_columns_in_another_order_give_the_same_rows(instance, tmp_path):
    frame = people()
    one = published_rows(save(instance.make(5), tmp_path / "one", frame))
    other = published_rows(save(instance.make(5), tmp_path / "other", frame[frame.columns[::-1]]))
    assert contents(one, instance) == contents(other, instance)


def check_persons_count_instead_of_rows(instance, tmp_path):
    method = instance.make(5)
    release = method.release(people(), PERSON_ROLES)
    folder = release.save(tmp_path / "out")
    rows = published_rows(folder / "release")
    persons = pq.read_table(folder / "owner" / "persons.parquet").column("person").to_pylist()
    quasi = release.roles.quasi
    assert measured(rows, method, quasi, persons) == release.verdict.measured >= 5
    assert "who" not in release.columns
    assert release.certificate.counted == "persons"
    assert release.certificate.verdict.kind == "owner"
    assert verify(folder / "release").holds
    found = verify(folder / "release", owner=folder / "owner")
    assert found.holds
    assert found.verdict == release.verdict


def check_recoding_the_source_rows_gives_the_release(instance, tmp_path):
    frame = people()
    release = released(instance)
    if not recodes(instance.make(5)):
        with pytest.raises(DataError, match="changes whole clusters of rows"):
            release.recode(frame)
        return
    if not recodes_source(instance.make(5)):
        assert tuple(release.recode(frame).columns) == release.columns
        return
    recoded = release.recode(Table.of(frame)).to_arrow().to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.table.to_arrow().to_pylist()))


def check_unseen_values_are_recoded(instance, tmp_path):
    if not recodes(instance.make(5)):
        return
    frame = people()
    release = released(instance)
    strange = frame.head(3).assign(age=[-4, 400, 50], town=["Nowhere", None, "North"], job=["pilot", "nurse", None])
    recoded = release.recode(strange)
    assert list(recoded.index) == list(strange.index)
    assert tuple(recoded.columns) == release.columns


def check_a_recipient_recodes_as_the_owner_does(instance, tmp_path):
    """With the published folder alone: published labels for any row, and the owner's for rows that were released.

    Where labels group values, those that too few persons have are not listed anywhere, so their rows are left out.
    """
    method, frame = instance.make(5), people()
    release = released(instance)
    folder = release.save(tmp_path / "out") / "release"
    if not recodes(method):
        with pytest.raises(DataError, match="so rows cannot be recoded to it"):
            recode(folder, frame)
        return
    odd = frame.assign(age=frame["age"] * 3 - 70, town="Nowhere", job=[None, "pilot"] * (len(frame) // 2))
    strange = Table.of(odd)
    published = published_rows(folder)
    for name in release.roles.quasi:
        met = {row[name] for row in published} | {"0" if name not in ROLES.quasi else "*"}
        written = {"" if cell is None else str(cell) for cell in recode(folder, strange).to_arrow()[name].to_pylist()}
        assert written <= met, name
    if recodes_source(method):
        known = Table.of(frame[frame["town"] != RARE])
        theirs, ours = recode(folder, known), release.recode(known)
        assert theirs.names == ours.names
        assert theirs.to_arrow().to_pylist() == ours.to_arrow().to_pylist()


def check_no_published_cell_runs_as_a_formula(instance, tmp_path):
    """Spreadsheets run cells that begin with = + - @. The marks before them are not counted for values, or lost."""
    frame = people()
    marked = {"again": "=", "ill": "@", "job": "+", "sex": "'="}
    for name, mark in marked.items():
        frame[name] = mark + frame[name].astype(object)
    frame["stay"] = -frame["stay"]
    method = instance.make(5)
    release = method.release(frame, ROLES)
    folder = release.save(tmp_path / "out") / "release"
    rows = published_rows(folder)
    cells = {*rows[0], *(cell for row in rows for cell in row.values())}
    assert not [cell for cell in cells if cell[:1] in set("=+@") or (cell[:1] == "-" and not cell[1:].isdigit())]
    assert {row["again"] for row in rows} == {"'=yes", "'=no"}
    assert measured(rows, method, [neutral(name) for name in release.roles.quasi]) == release.verdict.measured
    assert verify(folder).holds
    back = Table.of(folder, missing=())
    for name in ("again", "ill"):
        assert back.column(name).to_arrow().to_pylist() == release.table.column(name).to_arrow().to_pylist()


def check_no_value_that_few_persons_have_is_published(instance, tmp_path):
    """Codes, towns, days, moments, numbers that fewer than k persons have, with missing cells beside them: planted.py.

    The borders of round intervals may be anything round.
    """
    for seed, person in [(0, None), (1, "who"), (2, None)]:
        frame, method = planted.planted(seed), instance.make(5, seed=1)
        release = method.release(frame, planted.ROLES if person is None else planted.PERSON_ROLES)
        round_borders = getattr(method, "labels", "readable" if method.name == "tds" else "local") != "local"
        for format in ("csv", "parquet"):
            folder = release.save(tmp_path / f"{format}{seed}", format=format) / "release"
            assert planted.leaks(folder, frame, 5, person, round_borders=round_borders) == []


def check_owner_and_recipient_recode_alike(instance, tmp_path):
    """Cell by cell, for values that were met, rare or not, values that were not, missing cells, and any mixture."""
    for seed, (frame, roles) in enumerate([(planted.planted(3), planted.ROLES), (people(), ROLES)]):
        method = instance.make(5, seed=2)
        release = method.release(frame, roles)
        folder = release.save(tmp_path / str(seed)) / "release"
        if not recodes(method):
            continue
        rows = Table.of(strange_rows(frame, roles, seed))
        theirs, ours = recode(folder, rows), release.recode(rows)
        assert theirs.names == ours.names
        for name in release.roles.quasi:
            assert theirs.to_arrow()[name].to_pylist() == ours.to_arrow()[name].to_pylist(), name


def strange_rows(frame, roles, seed, n=150):
    """New rows: each cell one that was met, in whatever row, or a new one, or none."""
    rng = np.random.default_rng(seed)
    rows = frame.iloc[rng.integers(0, len(frame), n)].reset_index(drop=True).copy()
    for name in roles.quasi:
        cells = frame[name].sample(n, replace=True, random_state=seed + 1).reset_index(drop=True)
        if cells.dtype.kind not in "iufM":
            cells = cells.astype(object)
            cells = cells.where(rng.random(n) > 0.1, "never met").where(rng.random(n) > 0.1, None)
        else:
            shift = np.timedelta64(1, "D") if cells.dtype.kind == "M" else 1
            cells = cells.where(rng.random(n) > 0.3, cells + shift * int(rng.integers(1, 900)))
            if cells.dtype != np.dtype("int64"):
                cells = cells.where(rng.random(n) > 0.1)
        rows[name] = cells
    return rows


def check_impossible_is_an_error_and_writes_nothing(instance, tmp_path):
    frame = people(n=8)
    with pytest.raises(CannotRelease, match="k = 9 was asked, but there are only 8 persons"):
        instance.make(9).release(frame, ROLES).save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def check_errors_hold_no_cell_value(instance, tmp_path):
    frame = people()
    failing = [
        lambda: instance.make(500).release(frame, ROLES),
        lambda: instance.make(5).release(frame.assign(again=RARE), ROLES),
        lambda: instance.make(5).release(frame, Roles(target="again", quasi=["aeg"])),
        lambda: instance.make(5).release(frame, Roles(target="again", quasi=["age"], other=["name"])),
        lambda: instance.make(5).release(frame.head(0), ROLES),
        lambda: instance.make(5).release(frame, None),
    ]
    for fail in failing:
        with pytest.raises(DiscreetError) as caught:
            fail()
        assert not any(marker in str(caught.value) for marker in MARKERS)
        assert len(str(caught.value)) > 40
        assert "\n" not in str(caught.value)


def check_rows_without_a_label_are_left_out(instance, tmp_path):
    frame = people()
    with pytest.warns(LeftOutWarning, match="^1 of 160 rows have no 'again' and are left out.$"):
        found = save(instance.make(5, seed=9), tmp_path / "found", frame.assign(again=[None, *frame["again"][1:]]))
    expected = save(instance.make(5, seed=9), tmp_path / "expected", frame[1:])
    assert published_bytes(found) == published_bytes(expected)


def check_the_certificate_holds_nothing_private(instance, tmp_path):
    folder = released(instance).save(tmp_path / "a-folder-name") / "release"
    text = (folder / "certificate.json").read_text()
    assert "a-folder-name" not in text
    assert str(tmp_path) not in text
    assert NAME not in text


TABLE_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("check_")]


# -- baskets ----------------------------------------------------------------------------------------------------------


def basket_promise_holds_on_the_saved_files(instance, tmp_path):
    X, y = baskets()
    for k in (2, 5, 20):
        method = instance.make(k)
        release = method.release(X, y)
        folder = release.save(tmp_path / str(k)) / "release"
        table = pq.read_table(folder / "data.parquet").to_pylist()
        sets = [set(row["items"]) for row in table]
        by_twin = measured_items(sets, [row["label"] for row in table], method.promise)
        assert by_twin == release.verdict.measured >= k
        assert verify(folder).holds
        assert Counter(row["label"] for row in table) == Counter(y.tolist())


def basket_row_order_tells_nothing(instance, tmp_path):
    X, y = baskets()
    order = np.random.default_rng(1).permutation(len(X))
    one = instance.make(5, seed=1).release(X, y).save(tmp_path / "one") / "release"
    other = instance.make(5, seed=1).release(X[order], y[order]).save(tmp_path / "other") / "release"
    assert published_bytes(one) == published_bytes(other)
    fresh = instance.make(5).release(X, y)
    as_it_was = X[:, list(fresh.features)] if fresh.groups is None else fresh.recode(Baskets.of(X)).matrix.toarray()
    assert (fresh.data.toarray() != as_it_was).any()


def basket_names_that_were_dropped_do_not_survive(instance, tmp_path):
    X, y = baskets()
    names = [f"{NAME}-{j}" for j in range(X.shape[1])]
    releases = (instance.make(20, seed).release(Baskets.of(X, y, names=names)) for seed in range(9))
    release = next(release for release in releases if len(release.columns) < len(names))  # where chance flips, not each
    content = published_bytes(release.save(tmp_path / "out") / "release")
    kept = {*release.columns, *(() if release.groups is None else release.groups.mentioned)}
    assert kept
    for name in names:
        if name not in kept and not any(other.startswith(name) for other in kept):
            assert name.encode() not in content


BASKET_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("basket_")]
