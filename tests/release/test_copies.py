# SPDX-License-Identifier: Apache-2.0
"""Copies of a release in other formats: they hold the published cells, and verifying finds what they hold besides."""

import datetime as dt
import io
import json
import shutil
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet import Baskets, Mondrian, Roles, Table, verify
from discreet.cli.app import app
from discreet.data.column import from_labels
from discreet.data.foreign_excel import read_workbook
from discreet.data.foreign_statistics import read_statistics
from discreet.data.formats_out import OUT, bytes_in
from discreet.data.held_file import HeldFile
from discreet.data.storage import FORMATS
from discreet.errors import DataError, PromiseBroken
from discreet.release.certificate import Certificate, file_record
from discreet.release.copies import asked_copies, check_copied
from discreet.release.copies_numbers import interval_ends, with_numbers

ROWS = 40
PEOPLE = {
    "age": [20 + 7 * i % 50 for i in range(ROWS)],
    "sex": ["fm"[i % 2] for i in range(ROWS)],
    "born": [dt.date(1950, 1, 1) + dt.timedelta(days=311 * (i % 20)) for i in range(ROWS)],
    "pay": [1000.5 + i % 4 for i in range(ROWS)],
    "ill": ["yes" if i % 3 else "no" for i in range(ROWS)],
}
ROLES = Roles(target="ill", quasi=["age", "sex", "born"], other=["pay"])


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """Read files of other programs in this process, which is quicker."""

    def read(source, kind, options):
        return (read_workbook if kind == "Excel" else read_statistics)(source, kind, **options)

    monkeypatch.setattr("discreet.data.read.read_apart", read)


@pytest.fixture(scope="module")
def made():
    return Mondrian(k=4, random_state=1).release(PEOPLE, ROLES)


@pytest.fixture(scope="module")
def copied(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "discreet.data.read.read_apart",
            lambda source, kind, options: (read_workbook if kind == "Excel" else read_statistics)(
                source, kind, **options
            ),
        )
        made.save(folder, format=["csv", "xlsx", "sav", "dta", "csv-de", "parquet"])
    return folder / "release"


@pytest.fixture
def folder(copied, tmp_path):
    """A copy of the release that a test may change."""
    return shutil.copytree(copied, tmp_path / "release")


def certified_again(folder, **fields):
    """Write a certificate that fits the files: what a forger, or a careless holder, would do."""
    certificate = Certificate.read(folder).model_copy(update=fields)
    names = [name for name in certificate.files if (folder / name).exists()]
    records = {name: file_record(folder / name) for name in names}
    (folder / "certificate.json").write_bytes(certificate.sealed(records).to_bytes())


def with_member(workbook):
    held = io.BytesIO(workbook)
    with zipfile.ZipFile(held, "a") as archive:
        archive.writestr("xl/raw.csv", "name\nAnn Example\n")
    return held.getvalue()


def with_hidden_sheet(workbook):
    """The same cells in a workbook with a second sheet, which its reader does not see."""
    xlsxwriter = pytest.importorskip("xlsxwriter")
    (rows, _), held = read_workbook(HeldFile("data.xlsx", workbook), "Excel", exact=True), io.BytesIO()
    with xlsxwriter.Workbook(held) as book:
        sheet, raw = book.add_worksheet("data"), book.add_worksheet("raw")
        for place, name in enumerate(rows.column_names):
            sheet.write_column(0, place, [name, *rows.column(name).to_pylist()])
        raw.write(0, 0, "Ann Example")
        raw.hide()
    return held.getvalue()


def pq_with_metadata(path):
    rows, held = pq.read_table(path), io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({"name": "Ann Example"}), held)
    return held.getvalue()


def stated_by(folder, name, library):
    """The copies of a release, of which another library wrote one."""
    copies = Certificate.read(folder).copies
    return {**copies, name: copies[name].model_copy(update={"library": library})}


def test_every_copy_is_certified_and_verified(copied):
    found = verify(copied)
    assert found.holds, found.problems
    copies = ["data-de.csv", "data.dta", "data.parquet", "data.sav", "data.xlsx"]
    assert sorted(found.certificate.copies) == copies
    assert {*copies, "data.csv"} <= set(found.certificate.files)
    assert not [remark for remark in found.remarks if "library" in remark]
    for name in ("data.xlsx", "data.sav", "data.dta", "data.parquet"):
        table = Table.of(copied / name)
        assert table.column("age").to_arrow().to_pylist() == found.content.column("age").to_arrow().to_pylist()


def test_a_release_without_copies_states_none(made, tmp_path):
    made.save(tmp_path / "out", format="csv")
    assert "copies" not in json.loads((tmp_path / "out/release/certificate.json").read_text())


@pytest.mark.parametrize("name", ["data-de.csv", "data.xlsx", "data.sav", "data.dta", "data.parquet"])
def test_a_copy_of_other_cells_is_found(name, folder):
    content = verify(folder).content
    rows = pa.table({one: content.column(one).to_dictionary() for one in content.names})
    pay = rows.column("pay").to_pylist()
    rows = rows.set_column(3, "pay", pa.array([pay[0] + 1, *pay[1:]]))
    format = {"data-de.csv": "csv-de"}.get(name, name.rpartition(".")[2])
    (folder / name).write_bytes(bytes_in(rows, format))
    assert "changed after they were certified" in " ".join(verify(folder).problems)
    certified_again(folder)
    assert f"{name} does not hold the published cells" in " ".join(verify(folder).problems)


def test_a_copy_with_a_further_column_is_found(folder):
    content = verify(folder).content
    rows = pa.table({one: content.column(one).to_dictionary() for one in content.names})
    (folder / "data.xlsx").write_bytes(bytes_in(rows.append_column("name", pa.array(["Ann"] * len(rows))), "xlsx"))
    certified_again(folder)
    assert "data.xlsx does not hold the published cells, or holds more" in " ".join(verify(folder).problems)


def test_a_copy_of_another_version_is_read_and_compared(folder):
    """The time in the file is another one, as if another version of the library had written it."""
    content = (folder / "data.sav").read_bytes()
    (folder / "data.sav").write_bytes(content.replace(b"01 Jan 0000:00:00", b"02 Jan 0000:00:00"))
    certified_again(folder)
    assert "data.sav is not written as discreet writes these cells" in " ".join(verify(folder).problems)
    certified_again(folder, copies=stated_by(folder, "data.sav", "pyreadstat 0.1"))
    assert verify(folder).holds
    certified_again(folder, copies=stated_by(folder, "data.sav", None))  # as earlier versions certified
    assert "library" not in json.loads((folder / "certificate.json").read_text())["copies"]["data.sav"]
    found = verify(folder)
    assert found.holds, found.problems
    assert "data.sav holds the published cells, but another version of its library wrote it" in " ".join(found.remarks)


@pytest.mark.parametrize("name", ["data.sav", "data.dta", "data.parquet", "data.xlsx"])
def test_bytes_behind_the_cells_are_found(name, folder):
    content = (folder / name).read_bytes()
    if name == "data.parquet":  # its last bytes say where the rest is
        content = pq_with_metadata(folder / name)
    else:
        content += b"Ann Example, 1 Main Street"
    (folder / name).write_bytes(content)
    certified_again(folder)
    assert name in " ".join(verify(folder).problems)


@pytest.mark.parametrize("library", [None, "xlsxwriter 0.1"])
def test_a_workbook_has_one_sheet_and_no_other_part(library, folder):
    """Whatever library is stated: a hidden sheet, a further member, bytes behind the last one."""
    path, content = folder / "data.xlsx", (folder / "data.xlsx").read_bytes()
    certified_again(folder, copies=stated_by(folder, "data.xlsx", library))
    for more in (with_hidden_sheet, with_member, lambda held: held + b"Ann Example"):
        path.write_bytes(more(content))
        certified_again(folder)
        assert "data.xlsx does not hold the published cells, or holds more" in " ".join(verify(folder).problems)
    path.write_bytes(content)
    certified_again(folder)
    assert verify(folder).holds


def test_what_is_just_written_is_written_the_same_twice(made, tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.release.copies._is_written_so", lambda *which: False)
    monkeypatch.setattr("discreet.release.copies.library_of", lambda format: None)
    with pytest.raises(PromiseBroken, match="csv is not written as discreet writes these cells"):
        made.save(tmp_path / "out", format=["csv", "csv-de"])


def test_a_copy_that_cannot_be_checked_is_a_problem(folder, monkeypatch):
    def absent(rows):
        raise DataError("Writing Excel needs the extra `files`: pip install 'discreet[files]'.")

    monkeypatch.setattr("discreet.data.formats_out.excel_bytes", absent)
    found = verify(folder)
    assert found.holds
    assert "data.xlsx holds the published cells" in " ".join(found.remarks)
    monkeypatch.setattr("discreet.data.read.read_apart", lambda source, kind, options: absent(source))
    found = verify(folder)
    assert not found.holds
    assert "data.xlsx could not be checked" in " ".join(found.problems)


def test_copies_that_a_release_cannot_have(folder):
    certificate = Certificate.read(folder)
    certified_again(folder, copies={**certificate.copies, "data-fr.csv": certificate.copies["data-de.csv"]})
    assert "states copies that a release does not have" in " ".join(verify(folder).problems)
    certified_again(folder, copies={name: one for name, one in certificate.copies.items() if name != "data.xlsx"})
    assert "names 2 data files; a release has one" in " ".join(verify(folder).problems)


def test_a_copy_is_not_written_again_if_that_takes_all_memory(folder, monkeypatch):
    monkeypatch.setattr("discreet.release.copies._MOST_TEXT", 10)
    assert "copies have at most 10" in " ".join(verify(folder).problems)


def test_what_is_asked_for():
    assert asked_copies([], None) == (None, {})
    assert asked_copies(["parquet"], None) == ("parquet", {})
    assert list(asked_copies(["xlsx"], "midpoint")[1]) == ["data-numbers.xlsx"]
    assert list(asked_copies([], "midpoint")[1]) == ["data-numbers.csv"]
    assert list(asked_copies(["csv", "csv-de"], "midpoint")[1]) == ["data-numbers.csv", "data-de-numbers.csv"]
    assert set(FORMATS) <= set(OUT)
    with pytest.raises(DataError, match="'docx' is not a release format"):
        asked_copies(["docx"], None)


# -- numbers beside labels ---------------------------------------------------------------------------------------------


def labels(*texts):
    return from_labels("age", [*texts, None], np.arange(len(texts) + 1))


def test_ends_of_intervals():
    rows = with_numbers([labels("< 30", "[30, 40)", ">= 40", "*", "35", "[30, 40) or missing")], "low-high")
    assert rows.column_names == ["age", "age_low", "age_high"]
    assert rows.column("age_low").to_pylist() == [None, 30, 40, None, 35, 30, None]
    assert rows.column("age_high").to_pylist() == [30, 40, None, None, 35, 40, None]
    rows = with_numbers([labels("< 30", "[30, 40)", "35")], "midpoint")
    assert rows.column("age_mid").to_pylist() == [None, 35, 35, None]


def test_ends_of_dates():
    rows = with_numbers([labels("2019", "[2020-01, 2020-03)", "2020-Q2", "2020-05-17")], "low-high")
    first = [dt.date(2019, 1, 1), dt.date(2020, 1, 1), dt.date(2020, 4, 1), dt.date(2020, 5, 17), None]
    assert rows.column("age_low").to_pylist() == first
    assert rows.column("age_high").to_pylist()[0] == dt.date(2020, 1, 1)
    middle = with_numbers([labels("2019-02", "2019-01")], "midpoint").column("age_mid").to_pylist()
    assert middle[0] == dt.datetime(2019, 2, 15)


def test_what_has_no_numbers():
    assert interval_ends(labels("red", "[30, 40)")) is None
    assert interval_ends(labels("{30, 40}", "*")) is None
    assert interval_ends(labels("30", "40")) is None
    with pytest.raises(DataError, match="No published column has labels of intervals"):
        with_numbers([labels("red", "blue")], "midpoint")
    with pytest.raises(DataError, match="called like columns that there are: 'age_low'"):
        with_numbers([labels("< 30"), from_labels("age_low", ["a"], np.array([0, 0]))], "low-high")


def test_numbers_are_verified(made, tmp_path):
    made.save(tmp_path / "out", format="csv-de", numbers="low-high")
    folder = tmp_path / "out/release"
    assert verify(folder).holds
    copy = folder / "data-de-numbers.csv"
    text = copy.read_bytes().decode("utf-8-sig")
    assert text.startswith("age;age_low;age_high;sex;born;born_low;born_high;pay;ill\r\n")
    line = text.split("\r\n")[1]
    changed = line.split(";")
    changed[1] = str(float(changed[1] or 0) + 1)
    copy.write_bytes(("\ufeff" + text.replace(line, ";".join(changed))).encode())
    certified_again(folder)
    assert "data-de-numbers.csv does not hold" in " ".join(verify(folder).problems)


# -- commands ----------------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_release_and_recode_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Table.of(PEOPLE).write(tmp_path / "people.csv", "csv", input_again=True)
    roles = ["--target", "ill", "--quasi", "age,sex", "--method", "mondrian", "--k", "4"]
    done = run(
        "release", "people.csv", *roles, "--as", "xlsx,csv-de", "--numbers", "midpoint", "-o", "out", "--no-report"
    )
    assert done.exit_code == 0, done.output
    assert "data-de-numbers.csv, data-numbers.xlsx, data.csv" in done.output
    assert run("verify", "out/release").exit_code == 0
    for ending in ("xlsx", "sav", "dta", "csv", "parquet"):
        assert run("recode", "out/release", "people.csv", "-o", f"new.{ending}").exit_code == 0
        assert len(Table.of(f"new.{ending}")) == ROWS
    done = run("recode", "out/release", "people.csv", "-o", "new.pdf")
    assert done.exit_code == 2
    done = run("release", "people.csv", *roles, "--as", "xls", "-o", "out2", "--no-report")
    assert done.exit_code == 2
    assert not (tmp_path / "out2").exists()


def test_baskets_have_no_copies():
    baskets = Baskets.from_transactions([["a", "b"], ["a"]], ["x", "y"])
    with pytest.raises(DataError, match=r"A release of baskets is not written as 'data\.xlsx'"):
        check_copied(baskets, ["data.xlsx"])
    check_copied(baskets, [])
