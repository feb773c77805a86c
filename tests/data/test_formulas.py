# SPDX-License-Identifier: Apache-2.0
"""No published cell is run as a formula by a spreadsheet, and every cell is read back as it was."""

import csv
import json
import re
import sys
import unicodedata

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet import DataError, Mondrian, Roles, Table, recode, verify
from discreet.choose import Result, Results
from discreet.cli.app import GOOD
from discreet.cli.app import app as cli
from discreet.data.content import PublishedColumn
from discreet.data.formulas import neutral, neutral_cells, plain, plain_cells
from discreet.release.certificate import Certificate, file_record

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    "＋1",
    "－1",
    "＠A",
    " =1",
    '"=1',
    "'=1",
    "%0",
]
NASTY = st.text(st.sampled_from("=+-@\t\r\n;|,'\" ＝＋－＠%.eE05aé\u200b\ufeff"), max_size=8)


def runs(text: str) -> bool:
    """Would a spreadsheet take it for a formula? Written from OWASP's list, not from the code."""
    number = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text)
    return text[:1] in set("=+-@\t\r\n＝＋－＠") and not number


@given(NASTY)
@example("'")
@example("''=")
@example("-5")
@example("-5\n")
@example("||=")
def test_every_text_comes_back_and_none_runs(text):
    written = neutral(text)
    assert plain(written) == text
    assert not runs(written)
    for blank in (" ", '"', "\ufeff"):
        assert not runs(written.lstrip(blank))
    assert not any(runs(part) for part in re.split("[;\t|\r\n]", written)[1:])  # how else files are cut into cells


@given(NASTY, NASTY)
def test_two_texts_never_become_one(one, other):
    assert (neutral(one) == neutral(other)) == (one == other)


@pytest.mark.parametrize(
    "text", ["-5", "+3.2", "-1e3", "-.5", "+7.", "< 40", ">= -5", "[-5, 3)", "*", "{a, b}", "O'Neill"]
)
def test_numbers_labels_and_words_stay(text):
    assert neutral(text) == text


@pytest.mark.parametrize(
    "text", [*FORMULAS, "-5+cmd|' /C calc'!A0", "- 5", "+49 89 1", "-5;", "−5", "-٣", "-5\n", "a;=1"]
)
def test_formulas_get_an_apostrophe(text):
    written = neutral(text)
    assert (written[0] == "'") == (text != "a;=1")
    assert ";'=" in written or text != "a;=1"
    assert plain(written) == text


def test_other_forms_of_the_characters_count():
    """Every character that Unicode calls another form of one of them."""
    forms = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.normalize("NFKC", c)[:1] in set("=+-@|%")]
    assert len(forms) > 15
    assert [c for c in forms if neutral(c + "A1") != "'" + c + "A1"] == []


def test_columns_of_text_are_changed_and_no_others():
    numbers = pa.array([-5, None, 3])
    assert neutral_cells(numbers) is numbers
    words = pa.chunked_array([["a", "=b"], [None, "'=b", "=b"]])
    written = neutral_cells(words)
    assert written.to_pylist() == ["a", "'=b", None, "''=b", "'=b"]
    assert plain_cells("x", written).to_pylist() == words.to_pylist()
    coded = neutral_cells(words.dictionary_encode())
    assert pa.types.is_dictionary(coded.type)
    assert coded.to_pylist() == written.to_pylist()
    with pytest.raises(DataError, match="Column 'x' holds formulas that a spreadsheet would run") as refused:
        plain_cells("x", words)
    assert "=b" not in str(refused.value)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@given(cells=st.lists(st.one_of(st.none(), NASTY), min_size=1, max_size=9), name=NASTY)
def test_what_is_read_back_is_what_was_written(format, cells, name, tmp_path_factory):
    name = name if name.strip() else "x"
    path = tmp_path_factory.mktemp("w") / f"data.{format}"
    kinds = {name: "category", "row": "number"}
    table = Table.of({name: cells, "row": range(len(cells))}, missing=(), kinds=kinds)
    table.write(path, format)
    back = Table.read(path, [PublishedColumn(name, "other", kind) for name, kind in kinds.items()])
    assert back.names == (name, "row")
    assert back.column(name).to_arrow().to_pylist() == table.column(name).to_arrow().to_pylist()
    if format == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            assert not any(runs(field) for row in csv.reader(file) for field in row)


# -- a release whose every part holds formulas ------------------------------------------------------------------------

NOTES = sorted({text.strip() for text in FORMULAS})  # blanks around a cell are no part of it
ROLES = Roles(target="@ill", quasi=["=town", "age"], other=["note"])


def visits(n=60):
    return {
        "=town": [("=North", "'=North", "-5", "Süd")[i % 4] for i in range(n)],
        "age": [-20 + i % 7 for i in range(n)],
        "note": [NOTES[i % len(NOTES)] for i in range(n)],
        "@ill": ["-no", "+yes"] * (n // 2),
    }


@pytest.fixture
def saved(tmp_path):
    release = Mondrian(k=3, random_state=1).release(visits(), ROLES)
    return release, release.save(tmp_path / "out") / "release"


def fields(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_release_with_formulas_verifies_and_none_runs(saved, tmp_path):
    release, folder = saved
    assert verify(folder).holds
    assert not any(runs(field) for row in fields(folder / "data.csv") for field in row)
    assert fields(folder / "data.csv")[0] == ["'=town", "age", "note", "'@ill"]
    assert set(release.table.column("note").texts) == set(NOTES)
    as_parquet = pd.read_parquet(release.save(tmp_path / "p", format="parquet") / "release" / "data.parquet")
    assert set(as_parquet["note"]) == set(NOTES)


def test_the_folder_is_read_as_a_table_without_the_marks(saved, tmp_path):
    release, folder = saved
    for place in (folder, release.save(tmp_path / "p", format="parquet") / "release"):
        table = Table.of(place, missing=(""), kinds={"=town": "category"})
        assert table.names == release.columns
        assert table.column("note").to_arrow().to_pylist() == release.table.column("note").to_arrow().to_pylist()
    assert "'=1+1" in set(pd.read_csv(folder / "data.csv")["note"])  # how others see it


def test_formulas_as_they_are_do_not_verify(saved):
    """Else two spellings of one value could pass for two values, or one mark too few for none."""
    _, folder = saved
    data = folder / "data.csv"
    for old, new in ((b"'@SUM", b"@SUM"), (b"'@SUM", b"@SUM")):
        data.write_bytes(data.read_bytes().replace(old, new, 1))
        certificate = Certificate.read(folder)
        files = {name: file_record(folder / name) for name in certificate.files}
        (folder / "certificate.json").write_bytes(certificate.sealed(files).to_bytes())
        assert "Column 'note' holds formulas that a spreadsheet would run" in " ".join(verify(folder).problems)


def test_rows_are_recoded_with_the_labels_of_the_data(saved, tmp_path):
    from typer.testing import CliRunner

    release, folder = saved
    written = recode(folder, visits())
    assert set(written.column("=town").texts) <= set(release.table.column("=town").texts)
    pd.DataFrame(visits()).to_csv(tmp_path / "new.csv", index=False)
    done = CliRunner().invoke(cli, ["recode", str(folder), str(tmp_path / "new.csv"), "-o", str(tmp_path / "w.csv")])
    assert done.exit_code == GOOD, done.output
    place = fields(folder / "data.csv")[0].index("'=town")
    published = {row[place] for row in fields(folder / "data.csv")[1:]}
    names, *rows = fields(tmp_path / "w.csv")
    assert {row[names.index("'=town")] for row in rows} <= published


def test_results_of_a_study_do_not_run_either(tmp_path):
    study = Results(candidates=(Result(name="=a", method="@m", measures={"-x": -0.5}), Result(name="'=b", measures={})))
    study.write(tmp_path / "results.csv")
    assert not any(runs(field) for row in fields(tmp_path / "results.csv") for field in row)
    assert Results.read(tmp_path / "results.csv").candidates == study.candidates


def test_a_file_that_is_an_input_again_keeps_its_cells(tmp_path):
    Table.of({"x": ["=1", "a"]}).write(tmp_path / "x.csv", "csv", input_again=True)
    assert fields(tmp_path / "x.csv") == [["x"], ["=1"], ["a"]]
    assert Table.of(tmp_path / "x.csv").column("x").texts == ["=1", "a"]


def test_the_record_of_the_recoding_holds_the_labels_as_they_are(saved):
    release, folder = saved
    record = json.loads((folder / "recoding.json").read_text(encoding="utf-8"))
    labels = {label["label"] for column in record["columns"] if column["name"] == "=town" for label in column["labels"]}
    assert labels == set(release.table.column("=town").texts)
