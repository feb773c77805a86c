# SPDX-License-Identifier: Apache-2.0
import hashlib

import pytest
from pydantic import ValidationError

from discreet import Mondrian, __version__
from discreet.certificate import Certificate, VerdictRecord, sha256_of
from instances import ROLES, people


@pytest.fixture
def certificate():
    return Mondrian(5, random_state=3).release(people(), ROLES).certificate


def test_it_survives_writing(certificate):
    sealed = certificate.sealed({"data.csv": "0" * 64})
    assert Certificate.model_validate_json(sealed.to_bytes()) == sealed
    assert sealed.seal == sealed.computed_seal()
    assert sealed.discreet == __version__


def test_the_seal_covers_everything_but_itself(certificate):
    sealed = certificate.sealed({"data.csv": "0" * 64})
    for name in set(Certificate.model_fields) - {"seal", "format", "shape", "counted"}:
        value = getattr(sealed, name)
        other = {
            "promise": {"name": "k-anonymity", "k": 99},
            "verdict": sealed.verdict.model_copy(update={"measured": 99}),
            "method": sealed.method.model_copy(update={"name": "magic"}),
            "columns": sealed.columns[1:],
            "rows": 99,
            "changes": sealed.changes.model_copy(update={"suppressed_cells": 99}),
            "groups": sealed.groups.model_copy(update={"pure_groups": 0}),
            "files": {},
            "noise": ({"mechanism": "geometric"},),
            "discreet": "99",
            "does_not_protect": "",
        }[name]
        assert other != value
        assert sealed.model_copy(update={name: other}).computed_seal() != sealed.seal


def test_unknown_fields_are_refused(certificate):
    with pytest.raises(ValidationError):
        Certificate.model_validate({**certificate.model_dump(), "seed": 3})


def test_it_names_the_roles_of_published_columns_only(certificate):
    assert certificate.names("quasi") == ROLES.quasi
    assert {column.name for column in certificate.columns} == {*ROLES.published}


def test_a_verdict_record_equals_its_verdict(certificate):
    verdict = Mondrian(5).release(people(), ROLES).verdict
    record = VerdictRecord.of(verdict)
    assert (record.holds, record.measured, record.details) == (verdict.holds, verdict.measured, verdict.details)


def test_hashes_of_files(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()
