# SPDX-License-Identifier: Apache-2.0
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DataError, GreedySelector, KAnonymity, LDiversity, Mondrian, PromiseBroken, Roles, verify
from discreet.certificate import Certificate, file_record
from discreet.signature import new_key
from instances import PERSON_ROLES, ROLES, baskets, people


@pytest.fixture
def folder(tmp_path):
    return Mondrian(5).release(people(), ROLES).save(tmp_path / "out") / "release"


def edit(folder, change, *, reseal=False):
    path = folder / "certificate.json"
    stated = json.loads(path.read_text())
    change(stated)
    certificate = Certificate.model_validate(stated)
    path.write_bytes((certificate.sealed(certificate.files) if reseal else certificate).to_bytes())


def problems(folder, **options):
    found = verify(folder, **options)
    assert not found.holds
    assert not found
    return " ".join(found.problems)


def test_a_release_as_saved_holds(folder):
    found = verify(folder)
    assert found
    assert found.problems == ()
    assert found.verdict.kind == "recomputed"
    assert str(found).startswith("Verified. 5-anonymity holds: 5 required, 5 measured. The certificate is not signed")
    assert found.remarks == (
        "The certificate is not signed: this check detects accidents, not a forger.",
        "3 columns were declared unknown to outsiders: 'ill', 'stay', 'again'."
        " Whoever knows them is not held off by this promise.",
    )


def test_a_target_may_be_sensitive_and_its_release_is_checked_for_that(folder, tmp_path):
    both = Roles(target="ill", quasi=["age", "sex"], sensitive=["ill"])
    saved = Mondrian(5, l=2).release(people(), both).save(tmp_path / "both") / "release"
    assert verify(saved).holds
    stated = {c["name"]: c for c in json.loads((saved / "certificate.json").read_text())["columns"]}
    assert stated["ill"] == {"name": "ill", "role": "target", "kind": "category", "sensitive": True}
    assert "sensitive" not in stated["age"]
    edit(saved, lambda c: [column.pop("sensitive", None) for column in c["columns"]], reseal=True)
    assert "LDiversity is about sensitive columns; the roles name none" in problems(saved)
    edit(folder, lambda c: c["columns"][0].update(sensitive=True))
    assert "seal" in problems(folder)


def test_one_byte_changed_in_the_data(folder):
    data = bytearray((folder / "data.csv").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "data.csv").write_bytes(bytes(data))
    assert "Files were changed after they were certified: 'data.csv'" in problems(folder)


def test_an_extra_file(folder):
    (folder / "names.csv").write_text("x")
    assert "1 entries in the folder are not files that the certificate names" in problems(folder)


def test_an_extra_file_in_a_folder_below(folder):
    (folder / "more").mkdir()
    (folder / "more" / "names.csv").write_text("x")
    assert "1 entries in the folder are not files" in problems(folder)


@pytest.mark.parametrize("kind", ["folder", "link to a folder", "pipe", "signature folder"])
def test_things_that_are_not_files(folder, tmp_path, kind):
    if kind == "folder":
        (folder / "a name").mkdir()
    elif kind == "link to a folder":
        (folder / "extra").symlink_to(tmp_path)
    elif kind == "pipe":
        os.mkfifo(folder / "pipe")
    else:
        (folder / "certificate.sig").mkdir()
    assert "1 entries in the folder are not files" in problems(folder)


def test_a_data_file_that_is_a_link_or_a_pipe(folder, tmp_path):
    content = (folder / "data.csv").read_bytes()
    (folder / "data.csv").unlink()
    (tmp_path / "elsewhere").write_bytes(content)
    (folder / "data.csv").symlink_to(tmp_path / "elsewhere")
    assert "not there: 'data.csv'" in problems(folder)
    (folder / "data.csv").unlink()
    os.mkfifo(folder / "data.csv")
    assert "not there: 'data.csv'" in problems(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + " ",
        lambda text: text.replace('"rows": 160,', '"rows": "160",', 1),
        lambda text: text.replace("{", '{"rows": 1000000,', 1),
        lambda text: text.replace("\n", "\r\n"),
    ],
)
def test_a_certificate_that_says_the_same_in_another_way(folder, change):
    path = folder / "certificate.json"
    path.write_text(change(path.read_text()), newline="")
    assert "it was edited" in problems(folder)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("category", [" a", "a", "b", "b"]),
        ("category", ["a", "a ", "b", "b"]),
        ("category", ['"  "', "", "b", "b"]),
        ("number", ["1", "1.0", "2", "2"]),
        ("number", ["+2", "2", "3", "3"]),
        ("date", ["2020-01-01", "2020-01-01 00:00", "2021-01-01", "2021-01-01"]),
    ],
)
def test_two_spellings_of_one_value_do_not_make_a_group(tmp_path, kind, cells):
    """A plain reader sees k = 1 in these files; so must verify, or refuse them."""
    release = Mondrian(2).release({"q": ["a", "a", "b", "b"], "y": ["u", "v"] * 2}, Roles(target="y", quasi=["q"]))
    folder = release.save(tmp_path / "out") / "release"
    text = "q,y\n" + "".join(f"{cell},{label}\n" for cell, label in zip(cells, "uvuv", strict=True))
    (folder / "data.csv").write_text(text)

    def restate(stated):
        stated["files"]["data.csv"] = file_record(folder / "data.csv")
        stated["columns"][0]["kind"] = kind

    edit(folder, restate, reseal=True)
    problems(folder)


def test_a_file_that_is_gone(folder):
    (folder / "data.csv").unlink()
    assert "not there: 'data.csv'" in problems(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["promise"].update(k=4),
        lambda c: c["verdict"].update(measured=50),
        lambda c: c["method"]["parameters"].update(k=50),
        lambda c: c.update(rows=161),
        lambda c: c["columns"][0].update(role="other"),
        lambda c: c.update(does_not_protect="nothing"),
    ],
)
def test_a_certificate_edited_by_hand(folder, change):
    edit(folder, change)
    assert "certificate.json was changed after it was sealed" in problems(folder)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda c: c["promise"].update(k=50), "50-anonymity is broken: 50 required"),
        (lambda c: c["verdict"].update(measured=50), "differs from what the certificate states"),
        (lambda c: c.update(rows=161), "The certificate states 161 rows; the data has 160"),
        (lambda c: c["columns"].reverse(), "does not have the 7 columns"),
        (lambda c: c["promise"].update(name="magic"), "'magic' is not a promise"),
        (lambda c: c["promise"].update(k="many"), "'k' parameter of KAnonymity"),
        (lambda c: c.update(files={}), "names 0 data files"),
        (lambda c: c["verdict"].update(holds=False), "itself states that the promise does not hold"),
        (lambda c: c["verdict"].update(kind="proved"), "another kind of evidence"),
        (lambda c: [column.update(role="other") for column in c["columns"]], "names no quasi-identifiers"),
        (lambda c: c.update(promise={"name": "all of", "promises": []}), "Promises are joined by &"),
        (lambda c: c["promise"].update(columns=["age"]), "says nothing about the quasi-identifiers"),
    ],
)
def test_a_forged_certificate_must_still_be_true_of_the_data(folder, change, problem):
    """With its seal made anew, a lie is found where the files contradict it."""
    edit(folder, change, reseal=True)
    assert problem in problems(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 2}', b"\xff\xfe", b"[" * 100_000])
def test_what_is_not_a_certificate(folder, content):
    (folder / "certificate.json").write_bytes(content)
    assert "is not a certificate of format 2" in problems(folder)


def test_no_certificate(folder):
    (folder / "certificate.json").unlink()
    assert "nothing here says what is promised" in problems(folder)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="There is no release folder 'absent'"):
        verify(tmp_path / "absent")


def test_a_signature_vouches_for_the_release(tmp_path):
    private, public = new_key(tmp_path / "keys")
    _, other = new_key(tmp_path / "other-keys")
    folder = Mondrian(5).release(people(), ROLES).save(tmp_path / "out", sign_with=private) / "release"
    found = verify(folder, public_key=public)
    assert found.holds
    assert "Signed with the Ed25519 key" in found.remarks[0]
    assert verify(folder).signer == found.signer
    assert "another key" in problems(folder, public_key=other)
    edit(folder, lambda c: c.update(does_not_protect="nothing"), reseal=True)
    assert "does not fit the certificate" in problems(folder)
    (folder / "certificate.sig").write_text("[" * 4_000)
    assert "is not a signature file" in problems(folder)


def test_a_signature_that_was_asked_for_must_be_there(folder, tmp_path):
    _, public = new_key(tmp_path / "keys")
    assert "the release has none" in problems(folder, public_key=public)
    (folder / "certificate.sig").write_text("{}")
    assert "is not a signature file" in problems(folder)


def test_persons_are_recounted_with_the_owner_s_folder(tmp_path):
    out = Mondrian(3).release(people(), PERSON_ROLES).save(tmp_path / "out")
    assert "counted in persons" in verify(out / "release").remarks[1]
    assert verify(out / "release", owner=out / "owner").holds
    rows = len(people())
    pq.write_table(pa.table({"person": [1] * rows}), out / "owner" / "persons.parquet")
    assert "3-anonymity is broken: 3 required, 1 measured" in problems(out / "release", owner=out / "owner")
    pq.write_table(pa.table({"person": [1] * 3}), out / "owner" / "persons.parquet")
    assert "has 3 rows, the release 160" in problems(out / "release", owner=out / "owner")
    assert "no readable persons.parquet" in problems(out / "release", owner=tmp_path)


def test_baskets_with_an_item_the_certificate_does_not_name(tmp_path):
    X, y = baskets()
    folder = GreedySelector(5).release(X, y).save(tmp_path / "out") / "release"
    edit(folder, lambda c: c["columns"].pop(), reseal=True)
    assert "does not hold baskets as the certificate says" in problems(folder)


def test_further_columns_of_published_baskets(tmp_path):
    X, y = baskets()
    folder = GreedySelector(5).release(X, y).save(tmp_path / "out") / "release"
    table = pq.read_table(folder / "data.parquet")
    wider = table.append_column("name", pa.array(["Ann"] * len(table)))
    pq.write_table(wider, folder / "data.parquet", compression="none", store_schema=False)
    edit(folder, lambda c: c["files"].update({"data.parquet": file_record(folder / "data.parquet")}), reseal=True)
    assert "2 columns were stated; the data has 3" in problems(folder)


def test_what_rows_cannot_tell_about_persons_is_left_to_the_owner(tmp_path):
    """Entropy over rows says nothing about entropy over persons: the other part is still checked on rows."""

    class Diverse(Mondrian):
        name = ""

        @property
        def promise(self):
            return super().promise & LDiversity(1.5, measure="entropy")

    out = Diverse(20).release(people(), PERSON_ROLES).save(tmp_path / "out")
    found = verify(out / "release")
    assert found.holds
    assert found.verdict.promise == "20-anonymity"
    assert verify(out / "release", owner=out / "owner").verdict.promise == "20-anonymity and entropy 1.5-diversity"


def test_parts_of_a_promise_must_cover_every_quasi_identifier_together(tmp_path):
    class Parts(Mondrian):
        name = ""
        columns = (ROLES.quasi[:1], ROLES.quasi[1:])

        @property
        def promise(self):
            one, other = (KAnonymity(self.k, columns=columns) for columns in self.columns)
            return one & other

    assert verify(Parts(5).release(people(), ROLES).save(tmp_path / "all") / "release").holds
    Parts.columns = (ROLES.quasi[:1], ROLES.quasi[2:])
    with pytest.raises(PromiseBroken, match=f"says nothing about the quasi-identifiers '{ROLES.quasi[1]}'"):
        Parts(5).release(people(), ROLES).save(tmp_path / "some")
    assert not (tmp_path / "some").exists()


def test_promises_joined_by_and_are_verified_together(tmp_path):
    """A method that promises two things writes a certificate that verify can read."""

    class Diverse(Mondrian):
        name = ""

        @property
        def promise(self):
            return super().promise & LDiversity(2)

    folder = Diverse(40).release(people(), ROLES).save(tmp_path / "out") / "release"
    found = verify(folder)
    assert found.holds
    assert [part.promise for part in found.verdict.parts] == ["40-anonymity", "distinct 2-diversity"]
