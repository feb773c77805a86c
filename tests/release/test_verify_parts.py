# SPDX-License-Identifier: Apache-2.0
"""Releases of tables in parts: the same statements as in memory, and folders that somebody prepared."""

import os
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DataError, GreedySelector, KAnonymity, KmAnonymity, Mondrian, PromiseBroken, TreeLadder, verify
from discreet.data import storage, stored_table
from discreet.data.storage import write_part
from discreet.release import verify_parts, verify_recount
from discreet.release.certificate import Certificate, sha256_of
from discreet.release.signature import new_key
from discreet.release.verify import open_release
from discreet.report.public_page import summarise_public, to_public_page
from instances import PERSON_ROLES, ROLES, people
from stored import reseal, rewritten, stored_release


@pytest.fixture(scope="module")
def released():
    return Mondrian(k=4, random_state=1).release(people(), ROLES)


@pytest.fixture
def folder(released, tmp_path):
    return stored_release(released, tmp_path / "parts").save(tmp_path / "out") / "release"


def problems(folder):
    found = verify(folder)
    assert not found.holds
    return " ".join(found.problems)


@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
@pytest.mark.parametrize(
    "method",
    [
        Mondrian(k=3, random_state=1),
        Mondrian(k=3, l=2, t=0.6, random_state=1),
        Mondrian(k=3, label_known=True, random_state=1),
        Mondrian(k=4, population=0.3, random_state=1),
        TreeLadder(k=4, random_state=1),
    ],
    ids=["k", "l and t", "labels known", "k-map", "ladder"],
)
def test_a_table_in_parts_is_certified_as_in_memory(tmp_path, method, roles):
    release = method.release(people(), roles)
    parts = stored_release(release, tmp_path / "parts")
    assert (parts.verdict, parts.losses, parts.record) == (release.verdict, release.losses, release.record)
    saved, whole = parts.save(tmp_path / "out"), release.save(tmp_path / "whole", format="parquet")
    apart = {"files": {}, "seal": ""}
    one, other = (Certificate.read(path / "release").model_copy(update=apart) for path in (saved, whole))
    assert one == other
    assert sorted(Certificate.read(saved / "release").files)[-3:] == [
        "table/part-00000.parquet",
        "table/part-00001.parquet",
        "table/part-00002.parquet",
    ]
    for owner in (None, "owner"):
        mine = verify(saved / "release", owner=None if owner is None else saved / owner)
        theirs = verify(whole / "release", owner=None if owner is None else whole / owner)
        assert mine.holds
        assert (mine.verdict, mine.remarks) == (theirs.verdict, theirs.remarks)
    certificate, content, read = open_release(saved / "release")
    assert content.in_memory().equals(release.table)
    assert certificate.rows == content.n_rows
    assert read is not None


def test_persons_are_kept_in_parts_and_counted_again(tmp_path):
    release = stored_release(Mondrian(k=4, random_state=1).release(people(), PERSON_ROLES), tmp_path / "parts")
    saved = release.save(tmp_path / "out")
    kept = sorted(path.name for path in (saved / "owner" / "persons").iterdir())
    assert kept == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    assert {oct(path.stat().st_mode & 0o777) for path in (saved / "owner" / "persons").iterdir()} == {"0o600"}
    part = saved / "owner" / "persons" / "part-00001.parquet"
    rows = pq.read_metadata(part).num_rows
    part.unlink()
    write_part(pa.table({"person": np.zeros(rows, dtype=np.int64)}), part)  # all rows of one person
    assert not verify(saved / "release", owner=saved / "owner").holds
    assert verify(saved / "release").holds
    shutil.rmtree(saved / "owner" / "persons")
    assert "no persons/" in " ".join(verify(saved / "release", owner=saved / "owner").problems)


def test_nothing_is_saved_when_a_part_breaks_the_promise(released, tmp_path):
    """The promise held when the release was made; then a part changed."""
    parts = stored_release(released, tmp_path / "parts")
    assert parts.verdict.holds
    part = parts.content.files[1]
    cells = pq.read_table(part)
    alone = pa.array([f"alone {place}" for place in range(len(cells))])
    part.unlink()
    write_part(cells.set_column(cells.column_names.index("age"), "age", alone), part)
    with pytest.raises(PromiseBroken, match="could not be verified"):
        parts.save(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_a_table_in_parts_is_saved_as_parquet_alone(released, tmp_path):
    with pytest.raises(DataError, match="saved as Parquet"):
        stored_release(released, tmp_path / "parts").save(tmp_path / "out", format="csv")


def test_parts_are_signed_through_the_certificate(released, tmp_path):
    private, public = new_key(tmp_path / "keys")
    saved = stored_release(released, tmp_path / "parts").save(tmp_path / "out", sign_with=private)
    assert verify(saved / "release", public_key=public).holds


# -- folders that somebody prepared ------------------------------------------------------------------------------------


def test_a_changed_or_missing_part(folder):
    part = folder / "table" / "part-00001.parquet"
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.unlink()
    part.write_bytes(bytes(content))
    assert "changed after they were certified: 'table/part-00001.parquet'" in problems(folder)
    part.unlink()
    assert "missing: 'part-00001.parquet'" in problems(folder)


def test_entries_that_the_certificate_does_not_name(folder):
    (folder / "table" / "names.csv").write_text("x")
    (folder / "table" / "more").mkdir()
    assert "2 entries in table/ are not files that the certificate names" in problems(folder)


def test_links_and_pipes(folder, tmp_path):
    part, elsewhere = folder / "table" / "part-00000.parquet", tmp_path / "elsewhere"
    shutil.copy(part, elsewhere)
    part.unlink()
    part.symlink_to(elsewhere)
    assert "1 entries in table/ are not files" in problems(folder)
    part.unlink()
    os.mkfifo(part)
    assert "1 entries in table/ are not files" in problems(folder)
    part.unlink()
    shutil.copy(elsewhere, part)
    assert verify(folder).holds
    shutil.move(folder / "table", tmp_path / "moved")
    (folder / "table").symlink_to(tmp_path / "moved")
    assert "which is not a folder" in problems(folder)
    (folder / "table").unlink()
    assert "which is not a folder" in problems(folder)


@pytest.mark.parametrize(
    "name",
    [
        "table/../../part-00003.parquet",
        "table/../certificate.json",
        "table//part-00003.parquet",
        "table/part-00004.parquet",
        "table/part-3.parquet",
        "table/deeper/part-00003.parquet",
        "table/part-00003.csv",
        "/etc/passwd",
        "data.parquet",
        "tables/part-00003.parquet",
    ],
)
def test_names_of_parts(folder, name):
    reseal(folder, lambda stated: stated["files"].update({name: {"bytes": 1, "sha256": "0" * 64}}))
    found = problems(folder)
    assert "the certificate names others" in found or "not both" in found


def test_too_many_parts(folder, monkeypatch):
    monkeypatch.setattr(verify_parts, "MOST_PARTS", 2)
    assert "names 3 parts; at most 2 are read" in problems(folder)


def test_parts_of_another_shape(folder):
    reseal(folder, lambda stated: stated.update(shape="baskets"))
    assert "Only tables have parts" in problems(folder)


def test_parts_of_differing_types(folder):
    def as_texts(cells):
        return cells.set_column(cells.column_names.index("stay"), "stay", cells.column("stay").cast(pa.string()))

    rewritten(folder, as_texts)
    assert "other types of columns than the parts before it" in problems(folder)


def test_parts_of_differing_columns(folder):
    rewritten(folder, lambda cells: cells.select(cells.column_names[::-1]))
    assert "other columns than were stated" in problems(folder)
    rewritten(folder, lambda cells: cells.select(cells.column_names[1:]))
    assert "columns were stated" in problems(folder)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"compression": "zstd"}, "compressed"),
        ({"store_schema": True}, "metadata"),
        ({"write_statistics": True}, "Parts are not written as discreet writes these cells"),
    ],
)
def test_parts_that_are_written_in_another_way(folder, options, found):
    rewritten(folder, lambda cells: cells, **options)
    assert found in problems(folder)


def test_rows_more_or_fewer_than_stated(folder):
    rewritten(folder, lambda cells: cells.slice(1))
    assert "rows were stated" in problems(folder)
    rewritten(folder, lambda cells: pa.concat_tables([cells, cells]))
    assert "rows were stated; the data has more" in problems(folder)


def test_a_part_that_stands_for_far_too_many_cells(folder):
    """A column that says the same in every row takes a few bytes, whatever the number of rows."""
    rewritten(folder, lambda cells: cells.slice(0, 1).take(pa.array(np.zeros(1_500_000, dtype=np.int64))))
    assert "cells; at most 8 per byte are read" in problems(folder)


def test_a_group_of_rows_that_is_too_large_to_be_read_at_once(folder, monkeypatch):
    monkeypatch.setattr(verify_parts, "MOST_GROUP", 10)
    assert "rows in one group; at most 10 are read at once" in problems(folder)


def test_many_parts_that_stand_for_too_many_cells_together(folder, monkeypatch):
    monkeypatch.setattr(verify_parts, "MOST_CELLS", 10)
    monkeypatch.setattr(verify_parts, "CELLS_PER_BYTE", 0)
    assert "The parts say that" in problems(folder)


def test_long_texts_are_not_written_again(folder, monkeypatch):
    monkeypatch.setattr(verify_recount, "_MOST_TEXT", 10)
    found = verify(folder)
    assert found.holds
    assert "3 parts are too large to be written again and compared byte by byte." in found.remarks


@pytest.mark.parametrize("how", ["this Arrow", "another Arrow", "long texts"])
def test_a_hidden_dictionary_entry_is_found(folder, how, monkeypatch):
    """The cells of a part are the same, but its dictionary names a value that nobody has. That is found also where its
    bytes are not compared.
    """

    def hide(cells):
        column = cells.column("sex").combine_chunks().dictionary_encode()
        texts = pa.concat_arrays([column.dictionary, pa.array(["hidden"])])
        hidden = pa.DictionaryArray.from_arrays(column.indices, texts)
        return cells.set_column(cells.column_names.index("sex"), "sex", hidden)

    rewritten(folder, hide)
    part = folder / "table" / "part-00001.parquet"
    if how == "another Arrow":
        version = f"parquet-cpp-arrow version {pa.__version__}".encode()
        part.write_bytes(part.read_bytes().replace(version, version[:-1] + b"x"))
        reseal(folder)
    elif how == "long texts":
        monkeypatch.setattr(verify_recount, "_MOST_TEXT", 10)
    assert b"hidden" in part.read_bytes()
    assert "entries of a dictionary that no cell has" in problems(folder)


def test_a_hidden_entry_in_one_group_of_rows_is_found(folder):
    """Each group of rows has its dictionary, and a text of another group is none of its own."""

    def hide(cells):
        texts = pa.array(["a", "b"])
        first = pa.DictionaryArray.from_arrays(pa.array([0] * 5), texts)
        rest = pa.DictionaryArray.from_arrays(pa.array([0, 1] * len(cells))[: len(cells) - 5], texts)
        return cells.set_column(cells.column_names.index("sex"), "sex", pa.chunked_array([first, rest]))

    rewritten(folder, hide, row_group_size=5)
    with pytest.raises(DataError, match="entries of a dictionary that no cell has"):
        rewrite(folder)


def rewrite(folder):
    certificate, table, _ = open_release(folder)
    return verify_recount.rewritten_problems(table, certificate)


def test_groups_of_rows_in_which_all_entries_occur_are_fine(folder, monkeypatch):
    monkeypatch.setattr(storage, "ROW_GROUP", 7)
    for path in sorted((folder / "table").iterdir()):
        cells = pq.read_table(path)
        path.unlink()
        write_part(cells, path)
        assert pq.ParquetFile(path).num_row_groups > 1
    reseal(folder)
    assert rewrite(folder) == ([], [])


def test_a_part_that_changes_during_verification(folder, monkeypatch):
    check = verify_parts.check_layouts

    def changing(table, rows):
        os.utime(table.files[0], ns=(1, 1))
        check(table, rows)

    monkeypatch.setattr("discreet.release.verify_folder.check_layouts", changing)
    assert "changed while it was read" in problems(folder)


def test_a_part_that_changes_while_it_is_hashed(folder, monkeypatch):
    """What was read first was hashed as it was certified, and is another by the time that the last byte is read."""

    def changing(file):
        found = sha256_of(file)
        os.utime(file.fileno(), ns=(1, 1))
        return found

    monkeypatch.setattr(verify_parts, "sha256_of", changing)
    assert "changed while it was read" in problems(folder)


def test_figures_of_parts_are_recounted(folder):
    reseal(folder, lambda stated: stated["groups"].update(groups=stated["groups"]["groups"] + 1))
    assert "The groups of the data differ" in problems(folder)


# -- tables of 0/1 items, and the public report ------------------------------------------------------------------------


@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
def test_items_in_parts_are_checked_as_in_memory(tmp_path, roles):
    release = GreedySelector(k=3).release(people(), roles)
    parts = stored_release(release, tmp_path / "parts")
    assert parts.verdict == release.verdict
    saved = parts.save(tmp_path / "out")
    assert verify(saved / "release", owner=saved / "owner").holds
    assert KAnonymity(2).check_content(parts.content, release.roles) == KAnonymity(2).check(
        release.table, release.roles
    )


def test_items_that_are_too_many_to_compare_are_said(tmp_path, monkeypatch):
    whole = GreedySelector(k=3).release(people(), ROLES)
    parts = stored_release(whole, tmp_path / "parts")
    monkeypatch.setattr(stored_table, "MOST_CELLS", 10)
    assert parts.check(parts.promise) == whole.verdict  # counted by distinct rows
    with pytest.raises(DataError, match="would have to be read into memory"):
        parts.check(KmAnonymity(3, 2))


def test_the_public_report_of_parts_is_that_of_the_table(released, tmp_path):
    whole = released.save(tmp_path / "whole", format="parquet") / "release"
    parts = stored_release(released, tmp_path / "parts").save(tmp_path / "out") / "release"
    mine, theirs = summarise_public(parts), summarise_public(whole)
    assert (mine["risk"], mine["columns_drawn"], mine["rows"]) == (
        theirs["risk"],
        theirs["columns_drawn"],
        theirs["rows"],
    )
    assert "<html" in to_public_page(mine)
