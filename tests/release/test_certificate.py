# SPDX-License-Identifier: Apache-2.0
import hashlib

import pytest
from pydantic import ValidationError

from discreet import DataError, Mondrian, __version__
from discreet.release.certificate import Certificate, CopyRecord, FileRecord, VerdictRecord, file_record
from instances import ROLES, people


@pytest.fixture
def certificate():
    return Mondrian(5, random_state=3).release(people(), ROLES).certificate


def test_it_survives_writing(certificate):
    sealed = certificate.sealed({"data.csv": FileRecord(bytes=3, sha256="0" * 64)})
    assert Certificate.model_validate_json(sealed.to_bytes()) == sealed
    assert sealed.seal == sealed.computed_seal()
    assert sealed.discreet == __version__


def test_the_seal_covers_everything_but_itself(certificate):
    sealed = certificate.sealed({"data.csv": FileRecord(bytes=3, sha256="0" * 64)})
    for name in set(Certificate.model_fields) - {"seal", "format", "shape", "counted"}:
        value = getattr(sealed, name)
        other = {
            "promise": {"name": "k-anonymity", "k": 99},
            "verdict": sealed.verdict.model_copy(update={"measured": 99}),
            "method": sealed.method.model_copy(update={"name": "magic"}),
            "columns": sealed.columns[1:],
            "rows": 99,
            "detail": None,
            "changes": sealed.changes.model_copy(update={"suppressed_cells": 99}),
            "groups": sealed.groups.model_copy(update={"pure_groups": 0}),
            "files": {},
            "copies": {"data.xlsx": CopyRecord(format="xlsx")},
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


def test_sizes_and_hashes_of_files(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert file_record(tmp_path / "a") == FileRecord(bytes=3, sha256=hashlib.sha256(b"abc").hexdigest())
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(DataError, match="not a plain file"):
        file_record(tmp_path / "b")


def test_the_id_follows_from_the_statement_and_the_files(certificate):
    one, again, other = (
        certificate.sealed({"data.csv": FileRecord(bytes=3, sha256=digit * 64)}).id for digit in ("0", "0", "1")
    )
    assert len(one) == 32
    assert one == again != other


@pytest.mark.parametrize("number", [0, 1, 3, 99])
def test_other_formats_are_named(certificate, number):
    written = certificate.sealed({}).to_bytes().replace(b'"format": 2', f'"format": {number}'.encode())
    with pytest.raises(DataError, match=f"has the format {number}; this version of discreet reads format 2"):
        Certificate.from_bytes(written)


def test_a_field_that_is_not_stated_was_taken_out(certificate):
    written = certificate.sealed({}).to_bytes()
    for line in (b'  "noise": null,\n', b'    "swapped_cells": 0,\n'):
        assert line in written
        with pytest.raises(DataError, match=r"it was edited|unexpected fields"):
            Certificate.from_bytes(written.replace(line, b""))
