# SPDX-License-Identifier: Apache-2.0
"""The laws of methods that release synthetic rows under differential privacy. No law compares the bytes of two
releases: they are random, and must be."""

import math
import warnings
from dataclasses import replace
from itertools import pairwise, takewhile
from unittest import mock

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from checks import published_bytes, published_rows
from discreet import CannotRelease, DataError, PrivacyLeakWarning, PromiseBroken, Roles, RolesError, recode, verify
from discreet.methods.noise import private_table_model
from discreet.methods.noise.private_table_budget import planned
from discreet.privacy.noise import Noise, statement
from discreet.release.certificate import Certificate
from instances import DOMAIN, MARKERS, PERSON_ROLES, ROLES, people

COUNTED = ("geometric", "gaussian")  # mechanisms that add noise to counts; others pick


def levels(name):
    """The cells that the domain of a column allows, as a CSV file has them."""
    given = DOMAIN[name]
    if isinstance(given, dict):
        cuts = given["cuts"]
        inner = [f"[{low}, {high})" for low, high in pairwise(cuts)]
        return {f"< {cuts[0]}", *inner, f">= {cuts[-1]}", ""}
    return {*map(str, given), *([""] if name != ROLES.target else [])}


def synthetic_promise_is_proved_on_the_saved_files(instance, tmp_path):
    method = instance.make(5)
    release = method.release(people(), ROLES)
    for format in ("csv", "parquet"):
        folder = release.save(tmp_path / format, format=format) / "release"
        found = verify(folder)
        assert found.holds, found.problems
        assert found.verdict == release.verdict
        assert found.verdict.kind == found.certificate.verdict.kind == "proved"
        assert found.verdict.measured <= method.epsilon
        assert found.certificate.noise == statement(release.noise)
        assert all("proof: docs/privacy/differential_privacy.md#" in note for note in found.verdict.notes)
        assert found.certificate.method.parameters["domain"].keys() == DOMAIN.keys()


def synthetic_cells_are_the_domains_and_nothing_else_leaves(instance, tmp_path):
    frame = people()
    for format in ("csv", "parquet"):
        out = instance.make(5).release(frame, ROLES).save(tmp_path / format, format=format)
        content = published_bytes(out / "release") + published_bytes(out / "owner")
        for marker in MARKERS:
            assert marker.encode() not in content, f"{marker} left in the {format} release"
    words = published_bytes(tmp_path / "csv" / "release")  # text alone: four bytes of a Parquet file may be any
    assert b"seed" not in words
    assert b"random_state" not in words
    rows = published_rows(tmp_path / "csv" / "release")
    assert set(rows[0]) == set(DOMAIN)
    for row in rows:
        if instance.make(5).numbers:  # cuts at 30, 50, 70, and as far beyond
            assert row["age"] == "" or 10 <= int(row["age"]) < 90
            row = {**row, "age": ""}
        assert all(cell in levels(name) for name, cell in row.items())


def synthetic_rows_are_as_many_as_is_public(instance, tmp_path):
    assert instance.make(5).release(people(), ROLES).rows == len(people())
    private = [instance.make(5).set_params(neighbours="add-remove").release(people(), ROLES) for _ in range(12)]
    assert len({release.rows for release in private}) > 1
    assert all(release.promise.neighbours == "add-remove" for release in private)


def synthetic_label_and_sensitive_cells_are_noisy_too(instance, tmp_path):
    """With this budget no counts of a column come in more than one of ten releases, so ten are alike with odds 1e-9.
    With less of it they do: noise that is far larger than the table leaves one value alone."""
    drawn = [instance.make(5).release(people(), ROLES).data for _ in range(10)]
    for name in ("again", "ill", "stay"):
        counts = {str(sorted(data[name].fillna("").value_counts().items())) for data in drawn}
        assert len(counts) > 1, f"{name} is published without noise"


def synthetic_rows_of_a_seeded_run_are_never_released(instance, tmp_path):
    method = instance.make(5, seed=7)
    with pytest.raises(CannotRelease, match="simulation"):
        method.release(people(), ROLES)
    drawn = []
    for _ in range(2):
        with pytest.warns(PrivacyLeakWarning, match="seed"):
            drawn.append(method.simulate(people(), ROLES))
    assert drawn[0].data.equals(drawn[1].data)
    assert not hasattr(drawn[0], "certificate")
    assert not hasattr(drawn[0], "save")


def synthetic_rows_without_a_public_domain_are_never_released(instance, tmp_path):
    method = instance.make(5).set_params(domain=None)
    with pytest.raises(CannotRelease, match="public domain"):
        method.release(people(), ROLES)
    small = Roles(target="again", quasi=("sex", "job"), sensitive=("ill",))
    with pytest.warns(PrivacyLeakWarning, match="read from the rows"):
        drawn = method.simulate(people(), small)
    assert len(drawn.table) == len(people())


def synthetic_rows_without_a_seed_differ_and_warn_of_nothing(instance, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = (instance.make(5).release(people(), ROLES) for _ in range(2))
    assert not one.data.equals(other.data)
    assert list(one.owner.trace) == list(one.owner.notes) == []


def synthetic_frame_that_came_in_comes_out(instance, tmp_path):
    frame = people().reset_index(drop=True)
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), duckdb.from_df(frame)):
        assert type(instance.make(5).release(source, ROLES).data) is type(source)


def synthetic_refusals_do_not_depend_on_cells(instance, tmp_path):
    """One class, a missing label, a column that works like a name: to refuse them would tell."""
    frame = people()
    one_class, no_label, names = frame.copy(), frame.copy(), frame.copy()
    one_class["again"], no_label["again"] = "yes", None
    names["ill"] = [f"ill-{i}" for i in range(len(names))]
    for changed in (one_class, no_label, names, frame.head(1)):
        release = instance.make(5).release(changed, ROLES)
        assert release.verdict.holds
        assert release.rows == len(changed)


def synthetic_refusals_of_roles_and_domains_name_no_cell(instance, tmp_path):
    lacking = {name: given for name, given in DOMAIN.items() if name != "job"}
    cases = [
        (DOMAIN, Roles(quasi=ROLES.quasi), RolesError),
        (DOMAIN, Roles(target="again"), RolesError),
        (DOMAIN, Roles(target="again", quasi=("age", "nowhere")), RolesError),
        (lacking, ROLES, DataError),
        (DOMAIN | {"name": ["x"]}, ROLES, DataError),
    ]
    for domain, roles, error in cases:
        with pytest.raises(error) as refused:
            instance.make(5).set_params(domain=domain).release(people(), roles)
        assert not any(marker in str(refused.value) for marker in MARKERS)


def synthetic_noise_is_for_persons_where_roles_name_them(instance, tmp_path):
    """What is counted first has public sizes; no count is of more tables than there are columns."""

    def same_plan(sizes, rows, accountant):  # else it goes with the noise, and with the noisy number of rows
        return planned(sizes, len(people()), replace(accountant, rows=1))

    with mock.patch.object(private_table_model, "planned", same_plan):
        one, two = (
            instance.make(5).set_params(rows_per_person=most).release(people(), PERSON_ROLES) for most in (1, 2)
        )
    public = [list(takewhile(lambda use: use.mechanism in COUNTED, release.noise)) for release in (one, two)]
    assert public[0]
    for first, second in zip(*public, strict=True):
        assert replace(second, sensitivity=first.sensitivity, scale=first.scale) == first
        assert second.sensitivity == pytest.approx(2 * first.sensitivity, rel=1e-9)
        assert second.scale == pytest.approx(2 * first.scale, rel=1e-9)
    for most, release in enumerate((one, two), start=1):
        columns = len(ROLES.quasi) + len(ROLES.sensitive) + len(ROLES.other)
        for use in release.noise:
            if use.mechanism not in COUNTED:
                continue
            step = 2 * most if use.mechanism == "geometric" else math.sqrt(2) * most
            tables = use.sensitivity / step if use.mechanism == "geometric" else (use.sensitivity / step) ** 2
            assert round(tables) == pytest.approx(tables, rel=1e-9)  # the sensitivity is rounded up
            assert 1 <= round(tables) <= columns  # or pairs, of which there are fewer
    assert one.certificate.method.parameters["rows_per_person"] == 1
    assert instance.make(5).release(people(), ROLES).certificate.method.parameters["rows_per_person"] is None
    assert "who" not in one.columns
    assert verify(one.save(tmp_path / "out") / "release").holds
    assert not (tmp_path / "out" / "owner" / "persons.parquet").exists()


def synthetic_rows_with_less_noise_than_promised_do_not_verify(instance, tmp_path):
    """Whoever states less noise, or none, is found by arithmetic; whoever lies about the noise needs a signature."""
    release = instance.make(5).release(people(), ROLES)
    folder = release.save(tmp_path / "out") / "release"
    stated = list(statement(release.noise))
    for change in (
        {"scale": 1e-3},
        {"sensitivity": 10_000},
        {"neighbours": "add-remove"},
        {"mechanism": "magic"},
        None,
    ):
        wrong = () if change is None else (*stated[:-1], stated[-1] | change)
        with pytest.raises((PromiseBroken, DataError)):
            replace(release, noise=tuple(Noise(**use) for use in wrong)).save(tmp_path / "wrong")
        assert not (tmp_path / "wrong").exists()
        forged = release.certificate.model_copy(update={"noise": wrong or None})
        (folder / "certificate.json").write_bytes(forged.sealed(Certificate.read(folder).files).to_bytes())
        assert not verify(folder).holds


def synthetic_releases_recode_rows_to_their_form(instance, tmp_path):
    frame = people()
    release = instance.make(5).set_params(epsilon=50.0).release(frame, ROLES)
    recoded = release.recode(frame).reset_index(drop=True)
    intervals = (
        frame["age"]
        if release.parameters["numbers"]
        else pd.cut(frame["age"], [0, 30, 50, 70, 200], right=False).map(_interval)
    )
    assert list(recoded["age"]) == list(intervals)
    if release.parameters["numbers"]:  # new rows keep their numbers
        with pytest.raises(DataError, match="draws numbers"):
            recode(release.save(tmp_path / "out") / "release", frame)
        return
    (outside,) = recoded["town"][~frame["town"].isin(DOMAIN["town"]).to_numpy()]
    if release.data["town"].isna().any():  # a value outside the domain is an empty cell, if the release has any
        assert pd.isna(outside)
    else:
        assert outside == "*"
    again = recode(release.save(tmp_path / "out") / "release", frame.reset_index(drop=True))
    assert tuple(again.columns) == release.columns
    for name in ROLES.quasi:  # a label that does not occur in the release is not in its record
        met = recoded[name].isin(set(release.data[name].dropna()))
        assert again[name][met].equals(recoded[name][met])


def _interval(piece):
    if piece.left == 0:
        return f"< {piece.right}"
    return f">= {piece.left}" if piece.right == 200 else f"[{piece.left}, {piece.right})"


SYNTHETIC_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("synthetic_")]
