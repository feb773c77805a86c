# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import (
    Baskets,
    BreachAwareSelector,
    DataError,
    DeltaSketch,
    GreedySelector,
    KAnonymity,
    LaplaceSelector,
    LDiversity,
    Mondrian,
    PrivateFwell,
    PrivateTable,
    PromiseBroken,
    Roles,
    verify,
)
from discreet.release.certificate import Certificate, file_record
from discreet.release.signature import new_key, public_key_in
from discreet.release.verify import open_release
from instances import DOMAIN, PERSON_ROLES, ROLES, baskets, people


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
        "The certificate is not signed: this check detects accidents, not forgery.",
        "3 columns were declared unknown to outsiders: 'ill', 'stay', 'again'."
        " The promise does not protect against anyone who knows them.",
    )


def test_a_target_may_be_sensitive_and_its_release_is_checked_for_that(folder, tmp_path):
    both = Roles(target="ill", quasi=["age", "sex"], sensitive=["ill"])
    saved = Mondrian(5, l=2).release(people(), both).save(tmp_path / "both") / "release"
    assert verify(saved).holds
    stated = {c["name"]: c for c in json.loads((saved / "certificate.json").read_text())["columns"]}
    assert stated["ill"] == {"name": "ill", "role": "target", "kind": "category", "sensitive": True}
    assert "sensitive" not in stated["age"]
    edit(saved, lambda c: [column.pop("sensitive", None) for column in c["columns"]], reseal=True)
    assert "LDiversity needs sensitive columns; the roles name none" in problems(saved)
    edit(folder, lambda c: c["columns"][0].update(sensitive=True))
    assert "seal" in problems(folder)


def test_one_byte_changed_in_the_data(folder):
    data = bytearray((folder / "data.csv").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "data.csv").write_bytes(bytes(data))
    assert "Files were changed after they were certified: 'data.csv'" in problems(folder)


def test_an_extra_file(folder):
    (folder / "names.csv").write_text("x")
    assert "1 entry in the folder is not a file that the certificate names" in problems(folder)


def test_an_extra_file_in_a_folder_below(folder):
    (folder / "more").mkdir()
    (folder / "more" / "names.csv").write_text("x")
    assert "1 entry in the folder is not a file" in problems(folder)


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
    assert "1 entry in the folder is not a file" in problems(folder)


def test_a_data_file_that_is_a_link_or_a_pipe(folder, tmp_path):
    content = (folder / "data.csv").read_bytes()
    (folder / "data.csv").unlink()
    (tmp_path / "elsewhere").write_bytes(content)
    (folder / "data.csv").symlink_to(tmp_path / "elsewhere")
    assert "missing: 'data.csv'" in problems(folder)
    (folder / "data.csv").unlink()
    os.mkfifo(folder / "data.csv")
    assert "missing: 'data.csv'" in problems(folder)


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
    assert "missing: 'data.csv'" in problems(folder)


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
        (lambda c: c["promise"].update(name="magic"), "'magic' is not a known promise"),
        (lambda c: c["promise"].update(k="many"), "'k' parameter of KAnonymity"),
        (lambda c: c.update(files={}), "names 0 data files"),
        (lambda c: c["verdict"].update(holds=False), "itself states that the promise does not hold"),
        (lambda c: c["verdict"].update(kind="proved"), "wrong kind of evidence"),
        (lambda c: [column.update(role="other") for column in c["columns"]], "names no quasi-identifiers"),
        (lambda c: c.update(promise={"name": "all of", "promises": []}), "Only promises can be joined by &"),
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
    assert "nothing says what is promised" in problems(folder)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"There is no release folder '.*absent'"):
        verify(tmp_path / "absent")


def test_the_folder_is_shown_as_typed_and_the_one_beside_it_is_named(folder):
    with pytest.raises(DataError, match="Did you mean") as told:
        verify(folder / "data.csv")
    assert f"no release folder '{folder / 'data.csv'}'" in str(told.value)
    assert str(told.value).endswith(f"Did you mean '{folder}'?")


def test_a_signature_vouches_for_the_release(tmp_path):
    private, public = new_key(tmp_path / "keys")
    _, other = new_key(tmp_path / "other-keys")
    folder = Mondrian(5).release(people(), ROLES).save(tmp_path / "out", sign_with=private) / "release"
    found = verify(folder, public_key=public)
    assert found.holds
    assert "Signed with the required Ed25519 key" in found.remarks[0]
    assert verify(folder).signer == found.signer
    assert "a different key" in problems(folder, public_key=other)
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
    found, by_rows = verify(out / "release", owner=out / "owner"), verify(out / "release")
    assert found.holds
    assert (found.verdict.kind, by_rows.verdict.kind) == (
        "owner",
        "recomputed",
    )  # only the owner can count persons again
    rows = len(people())
    pq.write_table(pa.table({"person": [1] * rows}), out / "owner" / "persons.parquet")
    assert "3-anonymity is broken: 3 required, 1 measured" in problems(out / "release", owner=out / "owner")
    pq.write_table(pa.table({"person": [1] * 3}), out / "owner" / "persons.parquet")
    assert "has 3 rows, the release 160" in problems(out / "release", owner=out / "owner")
    (out / "owner" / "persons.parquet").unlink()
    assert "no readable persons.parquet" in problems(out / "release", owner=out / "owner")
    with pytest.raises(DataError, match="which holds none of its files"):
        verify(out / "release", owner=tmp_path)
    with pytest.raises(DataError, match="which does not exist"):
        verify(out / "release", owner=tmp_path / "nowhere")


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


# -- hostile folders ---------------------------------------------------------------------------------------------------


@pytest.fixture
def soon():
    """Ends a test that waits for what never comes."""

    def late(*_):
        raise TimeoutError("verify waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", ["certificate.json", "data.csv", "recoding.json", "certificate.sig"])
def test_a_pipe_is_not_waited_for(folder, name, soon):
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    problems(folder)
    with pytest.raises(PromiseBroken):
        open_release(folder)


@pytest.mark.parametrize("where", ["/dev/zero", "/dev/null", "nowhere", "certificate.json"])
@pytest.mark.parametrize("name", ["certificate.json", "data.csv", "certificate.sig"])
def test_links_are_not_followed(folder, name, where, soon):
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(where)
    problems(folder)


def test_the_folder_itself_may_be_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert verify(tmp_path / "link").holds


def test_a_file_of_another_size_is_not_even_hashed(folder, monkeypatch):
    monkeypatch.setattr("discreet.release.verify_folder.sha256_of", lambda file: pytest.fail("it was hashed"))
    with (folder / "data.csv").open("r+b") as file:
        file.truncate(2**40)
    (folder / "recoding.json").write_bytes(b"")
    found = problems(folder)
    assert "at most" in found or "Files were changed" in found


def test_a_certificate_is_not_read_when_it_is_too_long(folder):
    with (folder / "certificate.json").open("r+b") as file:
        file.truncate(2**40)
    assert "at most 16,777,216 are read" in problems(folder)


def test_rows_are_compared_before_they_are_read(tmp_path, monkeypatch):
    """20 million rows in less than a megabyte: the footer says so, and no cell is decoded."""
    folder = Mondrian(5).release(people(), ROLES).save(tmp_path / "out", format="parquet") / "release"
    path = folder / "data.parquet"
    part = pa.table({column.name: pa.repeat(pa.scalar("*"), 100_000) for column in Certificate.read(folder).columns})
    with pq.ParquetWriter(path, part.schema, compression="none", store_schema=False) as writer:
        for _ in range(5):
            writer.write_table(part)
    monkeypatch.setattr(pq, "ParquetFile", lambda *_, **__: pytest.fail("it was decoded"))
    edit(folder, lambda c: c["files"].update({"data.parquet": file_record(path)}), reseal=True)
    assert "160 rows were stated; the data has 500000" in problems(folder)


def test_a_folder_with_many_entries_is_not_listed_to_its_end(folder):
    for number in range(300):
        (folder / f"further-{number}").touch()
    assert "entries in the folder are not files that the certificate names" in problems(folder)


def test_what_is_opened_is_what_was_hashed(folder, monkeypatch):
    """A file that is exchanged after it was hashed is not the one that is read."""
    from discreet.release import verify_folder as module

    read = module.contents_of

    def exchanged(release):
        (folder / "data.csv").unlink()
        (folder / "data.csv").write_text('"a"\n"raw"\n')
        return read(release)

    monkeypatch.setattr("discreet.release.verify.contents_of", exchanged)
    assert verify(folder).holds


# -- figures and schemas -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda c: c["changes"].update(suppressed_cells=7), "suppressed cells; the certificate states 7"),
        (lambda c: c["changes"].update(quasi_cells=641), "number of quasi-identifier cells"),
        (lambda c: c["changes"].update(changed_cells=10**6), "more changed cells of one kind than there can be"),
        (lambda c: c["changes"].update(rows_dropped=5), "5 rows were left out; at most 4 may be"),
        (lambda c: c["method"]["parameters"].update(rows=[["Ann", 34]]), "has no parameters 'rows'"),
        (lambda c: c["method"]["parameters"].pop("split"), "has further parameters, 'split'"),
        (lambda c: c["method"]["parameters"].update(split="none"), "out of range: 'split'"),
        (lambda c: c["method"]["parameters"].update(k=50), "contradict the promise"),
        (lambda c: c["method"].update(name="magic", parameters={"rows": [["Ann", 34]]}), "not known here"),
        (lambda c: c["verdict"].update(notes=["Ann is 34"]), "differs from what the certificate states"),
        (lambda c: c["promise"].update(rows=[["Ann", 34]]), "parameters it does not have"),
        (lambda c: c.update(does_not_protect="All is protected."), "what the promise does not protect"),
        (lambda c: c.update(discreet="0.1 with Ann"), "does not state a version"),
        (lambda c: c["columns"][0].update(kind="item"), "columns that the certificate states"),
        (lambda c: c.update(noise=[]), "Noise is stated"),
        (lambda c: c.update(groups=None), "none for a release with them"),
    ],
)
def test_figures_and_parameters_are_compared(folder, change, problem):
    edit(folder, change, reseal=True)
    assert problem in problems(folder)


def test_a_method_that_is_not_known_is_said(folder):
    edit(folder, lambda c: c["method"].update(name="magic", parameters={"k": 5, "wand": "oak"}), reseal=True)
    assert "The method 'magic' is not known here" in " ".join(verify(folder).remarks)


@pytest.mark.parametrize("measured", [0.0, 0.29, 5.0])
def test_the_owner_s_word_must_keep_the_promise_of_sketches(tmp_path, measured):
    folder = DeltaSketch(0.3).release(*baskets()).save(tmp_path / "out") / "release"
    assert "owner's word" in verify(folder).remarks[1]
    edit(folder, lambda c: c["verdict"].update(measured=measured), reseal=True)
    problems(folder)


def test_the_owner_s_word_must_keep_the_promise_of_a_breach_increase(tmp_path):
    method = BreachAwareSelector(alpha=1.0, attackers=("c45",), folds=4)
    folder = method.release(people(), ROLES).save(tmp_path / "out") / "release"
    assert verify(folder).holds
    edit(folder, lambda c: c["verdict"].update(measured=9.0), reseal=True)
    assert "requires at most 1; the certificate states 9 measured" in problems(folder)
    edit(folder, lambda c: c["verdict"].update(required=9.0), reseal=True)
    assert "The promise requires 1" in problems(folder)


def test_no_group_has_more_persons_than_rows(tmp_path):
    folder = Mondrian(3).release(people(), PERSON_ROLES).save(tmp_path / "out") / "release"
    edit(folder, lambda c: c["verdict"].update(measured=100.0), reseal=True)
    assert "more persons in a group than the group has rows" in problems(folder)


def test_a_role_that_was_moved_is_said(folder):
    """The promise is true of the columns that are left; whoever knows the others is not held off."""

    def move(stated):
        stated["columns"][2]["role"] = "other"

    assert stated_names(folder)[2] == "town"
    edit(folder, move, reseal=True)
    said = " ".join(verify(folder).remarks) + problems(folder)
    assert "4 columns were declared unknown to outsiders: 'town', 'ill', 'stay', 'again'" in said


def stated_names(folder):
    return [column.name for column in Certificate.read(folder).columns]


def test_a_column_that_singles_everybody_out_is_said(tmp_path):
    table = people().assign(stay=range(160))
    roles = Roles(target="again", quasi=ROLES.quasi, sensitive=["ill"], other=["stay"], allow_unique=["stay"])
    found = verify(Mondrian(5).release(table, roles).save(tmp_path / "out") / "release")
    assert "'stay' singles people out: 160 of 160 rows have a value there that no other row has." in found.remarks


# -- differential privacy ----------------------------------------------------------------------------------------------


def test_raw_rows_under_a_certificate_of_differential_privacy_are_said_to_look_the_same(tmp_path):
    folder = PrivateTable(1.0, DOMAIN).release(people(), ROLES).save(tmp_path / "out") / "release"
    assert "The noise rests on the holder's word" in verify(folder).remarks[1]
    assert "Rows without any noise would look the same" in verify(folder).remarks[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda use: use.update(sensitivity=0),
        lambda use: use.update(sensitivity=0.001),
        lambda use: use.update(scale=1e9),
        lambda use: use.update(picks=7),
        lambda use: use.update(mechanism="laplace"),
    ],
)
@pytest.mark.parametrize("method", [LaplaceSelector(1.0, 3), PrivateFwell(1.0, n_features=3, strategy="ranks")])
def test_noise_of_another_sensitivity_is_refused(tmp_path, method, change):
    X, y = baskets()
    folder = method.release(X, y).save(tmp_path / "out") / "release"
    assert "stated for 150 rows" in " ".join(verify(folder).remarks)
    path = folder / f"{Certificate.read(folder).shape}.json"
    said = json.loads(path.read_text())
    change(said["noise"][0])
    path.write_bytes((json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode())

    def restate(stated):
        stated["files"][path.name] = file_record(path)

    edit(folder, restate, reseal=True)
    problems(folder)


def test_drawn_rows_have_cells_of_the_domain(tmp_path):
    folder = PrivateTable(1.0, DOMAIN).release(people(), ROLES).save(tmp_path / "out") / "release"
    text = (folder / "data.csv").read_text().splitlines()
    text[1] = text[1].replace(text[1].split(",")[2], '"Rare-7731"', 1)
    (folder / "data.csv").write_text("\n".join(text) + "\n")
    edit(folder, lambda c: c["files"].update({"data.csv": file_record(folder / "data.csv")}), reseal=True)
    assert "not in the public domain" in problems(folder)


# -- which release -----------------------------------------------------------------------------------------------------


def test_another_release_by_the_same_key_does_not_take_its_place(tmp_path):
    private, public = new_key(tmp_path / "keys")
    one, other = (
        Mondrian(k).release(people(), ROLES).save(tmp_path / f"k{k}", sign_with=private) / "release" for k in (5, 2)
    )
    asked = verify(one).id
    assert len(asked) == 32
    assert verify(one, public_key=public, expected_id=asked).holds
    assert "not the expected release" in problems(other, public_key=public, expected_id=asked)
    assert "it must have 32" in problems(one, expected_id="latest")


def test_another_key_is_named_and_nobody_says_that_it_is_not_signed(tmp_path):
    private, public = new_key(tmp_path / "keys")
    _, other = new_key(tmp_path / "other")
    folder = Mondrian(5).release(people(), ROLES).save(tmp_path / "out", sign_with=private) / "release"
    found = verify(folder, public_key=other)
    assert not found.holds
    assert found.signer == public_key_in(public)
    assert f"a different key: {found.signer}" in found.problems[0]
    assert "not signed" not in str(found)


# -- bytes -------------------------------------------------------------------------------------------------------------


def test_a_parquet_file_holds_nothing_but_its_cells(tmp_path):
    folder = Mondrian(5).release(people(), ROLES).save(tmp_path / "out", format="parquet") / "release"
    path = folder / "data.parquet"
    table = pq.read_table(path)
    coded = table.column("town").combine_chunks().dictionary_encode()
    more = pa.concat_arrays([coded.dictionary, pa.array(["Rare-7731"])])
    unused = table.set_column(2, "town", pa.DictionaryArray.from_arrays(coded.indices, more))
    for content, options in ((unused, {}), (table, {"write_statistics": False})):
        pq.write_table(content, path, compression="none", store_schema=False, **options)
        edit(folder, lambda c: c["files"].update({"data.parquet": file_record(path)}), reseal=True)
        assert re.search(r"holds more than its cells|entries of a dictionary that no cell has", problems(folder))


def test_control_characters_do_not_reach_the_terminal(folder, capsys):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    edit(folder, lambda c: c["promise"].update(columns=["\x1b[2J"]), reseal=True)
    done = CliRunner().invoke(app, ["verify", str(folder)])
    assert done.exit_code == 1
    assert "\x1b" not in done.output


def test_an_item_may_be_called_like_the_column_of_labels(tmp_path):
    X = np.array([[1, 0], [0, 1]] * 6)
    release = GreedySelector(k=2).release(Baskets.of(X, [0, 1] * 6, names=["label", "tea"]))
    assert "label" in release.columns
    assert verify(release.save(tmp_path / "out") / "release").holds
