# SPDX-License-Identifier: Apache-2.0
"""The laws of methods that release names of columns under differential privacy. No law compares the bytes of two
releases: they are random, and must be."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from checks import published_bytes
from discreet import Baskets, CannotRelease, DataError, PrivacyLeakWarning, PromiseBroken, RolesError, verify
from discreet.data.document import Document
from discreet.release.certificate import Certificate, file_record
from instances import ROLES, baskets, people


def read(folder) -> dict:
    assert {path.name for path in folder.iterdir()} == {"names.json", "certificate.json"}
    return json.loads((folder / "names.json").read_text(encoding="utf-8"))


def names_promise_is_proved_on_the_saved_files(instance, tmp_path):
    method = instance.make(5)
    release = method.release(*baskets())
    said = read(release.save(tmp_path / "out") / "release")
    found = verify(tmp_path / "out" / "release")
    assert found.holds, found.problems
    assert found.verdict == release.verdict
    assert (found.verdict.kind, found.verdict.measured) == ("proved", method.epsilon)
    (noise,) = said["noise"]
    assert 2 * noise["picks"] * noise["sensitivity"] / noise["scale"] <= method.epsilon
    assert (noise["sensitivity"], noise["picks"], noise["neighbours"]) == (149, method.n_features, "replace-one")
    assert "proof: docs/privacy/differential_privacy.md#" in found.verdict.notes[0]


def names_are_all_that_leaves(instance, tmp_path):
    X, y = baskets()
    secret = [f"class-8842-{label}" for label in y]
    named = Baskets.of(X, secret, names=[f"item {j}" for j in range(X.shape[1])])
    folder = instance.make(5).release(named).save(tmp_path / "out") / "release"
    said = read(folder)
    assert set(said) == {"format", "shape", "columns", "names", "noise"}
    assert len(set(said["names"])) == len(said["names"]) == instance.make(5).n_features
    assert set(said["names"]) <= set(named.names)
    assert b"class-8842" not in published_bytes(folder)
    owner = b"".join(path.read_bytes() for path in (tmp_path / "out" / "owner").iterdir())
    assert b"class-8842" not in owner


def names_of_a_seeded_run_are_never_released(instance, tmp_path):
    method = instance.make(5, seed=7)
    with pytest.raises(CannotRelease, match="simulation"):
        method.release(*baskets())
    picks = []
    for _ in range(2):
        with pytest.warns(PrivacyLeakWarning, match="seed"):
            picks.append(method.fit(*baskets()).order_.tolist())
    assert picks[0] == picks[1]


def names_without_a_seed_differ_and_warn_of_nothing(instance, tmp_path):
    method = instance.make(5).set_params(epsilon=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picks = {tuple(method.fit(*baskets()).order_) for _ in range(20)}
    assert len(picks) > 1


def names_come_without_scores(instance, tmp_path):
    method = instance.make(5).fit(*baskets())
    assert not hasattr(method, "scores_")
    assert not hasattr(method, "trace_")
    assert method.release(*baskets()).owner.trace == []


def names_are_the_same_kind_for_every_kind_of_matrix(instance, tmp_path):
    X, y = baskets()
    for data in (X, sp.csr_array(X), sp.csc_matrix(X), Baskets.of(X, y)):
        release = instance.make(5).release(data, None if isinstance(data, Baskets) else y)
        assert len(release.columns) == instance.make(5).n_features
        assert release.rows == 0


def names_of_few_classes_or_many_are_released(instance, tmp_path):
    """The classes are private: one alone must not be refused, or the refusal would tell it."""
    X, _ = baskets()
    for classes in (1, 2, 3):
        assert instance.make(5).release(X, np.arange(len(X)) % classes).verdict.holds


def names_are_refused_by_what_is_public_alone(instance, tmp_path):
    """Persons with several rows are not: one row of each is drawn, and the noise is for all rows."""
    X, y = baskets()
    method = instance.make(5)
    for persons in ([0, 0, *range(len(X) - 2)], range(len(X)), [0] * len(X)):
        release = method.release(Baskets.of(X, y, persons=persons))
        assert release.data["noise"][0]["sensitivity"] == len(X) - 1
    with pytest.raises(CannotRelease, match="99 of 14 features"):
        instance.make(5).set_params(n_features=99).release(X, y)
    with pytest.raises(CannotRelease, match="needs a public domain"):
        method.release(people(), ROLES)
    with pytest.raises((RolesError, DataError)):
        method.release(X)


def names_with_more_noise_stated_than_drawn_do_not_verify(instance, tmp_path):
    """Whoever states less noise, or none, is found by arithmetic; whoever lies about the noise needs a signature."""
    release = instance.make(5).release(*baskets())
    for change in ({"scale": 1.0}, {"sensitivity": 10_000}, {"picks": 50}, {"neighbours": "add-remove"}, None):
        noise = [] if change is None else [{**release.data["noise"][0], **change}]
        wrong = replace(release, content=Document("names", {**release.data, "noise": noise}))
        with pytest.raises((PromiseBroken, DataError)):
            wrong.save(tmp_path / "wrong")
        assert not (tmp_path / "wrong").exists()
        folder = release.save(tmp_path / f"edited {change}".replace("/", "")) / "release"
        (folder / "names.json").write_bytes(wrong.document.to_bytes())
        certificate = Certificate.read(folder).sealed({"names.json": file_record(folder / "names.json")})
        (folder / "certificate.json").write_bytes(certificate.to_bytes())
        assert not verify(folder).holds


NAMES_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("names_")]
