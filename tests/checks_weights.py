# SPDX-License-Identifier: Apache-2.0
"""The laws of methods that release weights of columns under differential privacy. As of names, no law compares the
bytes of two releases."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from checks import published_bytes
from discreet import (
    Baskets,
    CannotRelease,
    DataError,
    ParameterError,
    PrivacyLeakWarning,
    PromiseBroken,
    RolesError,
    Table,
    verify,
)
from discreet.data.document import Document
from discreet.release.certificate import Certificate, file_record
from instances import MARKERS, ROLES, baskets, people

NUMBERS = replace(ROLES, quasi=("age",), sensitive=(), other=("stay",))


def read(folder) -> dict:
    assert {path.name for path in folder.iterdir()} == {"weights.json", "certificate.json"}
    return json.loads((folder / "weights.json").read_text(encoding="utf-8"))


def weights_promise_is_proved_on_the_saved_files(instance, tmp_path):
    method = instance.make(5)
    release = method.release(*baskets())
    said = read(release.save(tmp_path / "out") / "release")
    found = verify(tmp_path / "out" / "release")
    assert found.holds, found.problems
    assert found.verdict == release.verdict
    assert found.verdict.kind == "proved"
    assert 0.99 * method.epsilon < found.verdict.measured <= method.epsilon
    (noise,) = said["noise"]
    assert noise["sensitivity"] == method.mechanism(150, 14).sensitivity
    assert "proof: docs/privacy/differential_privacy.md#" in found.verdict.notes[0]


def weights_are_all_that_leaves(instance, tmp_path):
    X, y = baskets()
    secret = [f"class-8842-{label}" for label in y]
    named = Baskets.of(X, secret, names=[f"item {j}" for j in range(X.shape[1])])
    folder = instance.make(5).release(named).save(tmp_path / "out") / "release"
    said = read(folder)
    assert set(said) == {"format", "shape", "columns", "weights", "noise"}
    assert [column["name"] for column in said["columns"]] == list(named.names)
    assert len(said["weights"]) == len(named.names)
    assert all(isinstance(weight, float) for weight in said["weights"])
    assert b"class-8842" not in published_bytes(folder)
    owner = b"".join(path.read_bytes() for path in (tmp_path / "out" / "owner").iterdir())
    assert b"class-8842" not in owner


def weights_of_a_table_name_nothing_but_columns(instance, tmp_path):
    method = instance.make(5)
    if method.reference is not None:
        method.set_params(reference=([[20.0], [30.0], [60.0], [70.0]], ["no", "no", "yes", "yes"]))
    method.set_params(bounds={"age": (18, 90)}, n_features=1)
    frame = people()
    frame.loc[frame.index[3], "age"] = None
    folder = method.release(frame, NUMBERS).save(tmp_path / "out") / "release"
    assert [column["name"] for column in read(folder)["columns"]] == ["age"]
    assert not any(marker.encode() in published_bytes(folder) for marker in MARKERS)
    with pytest.raises(DataError, match="'age' are declared"):
        method.release(Table.of(frame, kinds={"age": "category"}), NUMBERS)
    with pytest.raises(ParameterError, match="'town'"):
        method.set_params(strategy="splits").release(frame, ROLES)
    with pytest.raises(RolesError, match="target"):
        method.release(frame, replace(NUMBERS, target=None))


def weights_of_a_seeded_run_are_never_released(instance, tmp_path):
    method = instance.make(5, seed=7)
    with pytest.raises(CannotRelease, match="simulation"):
        method.release(*baskets())
    found = []
    for _ in range(2):
        with pytest.warns(PrivacyLeakWarning, match="seed"):
            found.append(method.fit(*baskets()).weights_.tolist())
    assert found[0] == found[1]


def weights_without_a_seed_differ_and_warn_of_nothing(instance, tmp_path):
    method = instance.make(5).set_params(epsilon=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {tuple(method.fit(*baskets()).weights_) for _ in range(10)}
    assert len(found) > 1


def weights_are_the_same_kind_for_every_kind_of_matrix(instance, tmp_path):
    X, y = baskets()
    for data in (X, sp.csr_array(X), sp.csc_matrix(X), Baskets.of(X, y)):
        release = instance.make(5).release(data, None if isinstance(data, Baskets) else y)
        assert len(release.data["weights"]) == len(release.columns) == 14
        assert release.rows == 0
        assert release.owner.trace == []


def weights_of_few_classes_or_many_are_released(instance, tmp_path):
    """The classes are private: one alone must not be refused, or the refusal would tell it."""
    X, _ = baskets()
    for classes in (1, 2, 3):
        assert instance.make(5).release(X, np.arange(len(X)) % classes).verdict.holds


def weights_are_refused_by_what_is_public_alone(instance, tmp_path):
    """Of persons with several rows one row each is drawn, where the proof covers it; else they must not be named."""
    X, y = baskets()
    method = instance.make(5)
    for persons in ([0, 0, *range(len(X) - 2)], range(len(X)), [0] * len(X)):
        if method.promise.delta == 0:
            release = method.release(Baskets.of(X, y, persons=persons))
            assert release.data["noise"][0]["sensitivity"] == method.mechanism(*X.shape).sensitivity
        else:
            with pytest.raises(CannotRelease, match="one is drawn"):
                method.release(Baskets.of(X, y, persons=persons))
    for unlabelled in (X, Baskets.of(X)):
        with pytest.raises(RolesError, match="labels"):
            method.release(unlabelled)


def weights_with_more_noise_stated_than_drawn_do_not_verify(instance, tmp_path):
    """Whoever states less noise, or none, is found by arithmetic; whoever lies about the noise needs a signature."""
    release = instance.make(5).release(*baskets())
    for change in ({"scale": 1e-6}, {"sensitivity": 10_000}, {"neighbours": "add-remove"}, None):
        noise = [] if change is None else [{**release.data["noise"][0], **change}]
        wrong = replace(release, content=Document("weights", {**release.data, "noise": noise}))
        with pytest.raises((PromiseBroken, DataError)):
            wrong.save(tmp_path / "wrong")
        assert not (tmp_path / "wrong").exists()
        folder = release.save(tmp_path / f"edited {change}".replace("/", "")) / "release"
        (folder / "weights.json").write_bytes(wrong.document.to_bytes())
        certificate = Certificate.read(folder).sealed({"weights.json": file_record(folder / "weights.json")})
        (folder / "certificate.json").write_bytes(certificate.to_bytes())
        assert not verify(folder).holds


WEIGHTS_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("weights_")]
