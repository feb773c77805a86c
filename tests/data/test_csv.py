# SPDX-License-Identifier: Apache-2.0
"""CSV files as people have them, and files that are none."""

import bz2
import gzip
import traceback
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.csv import read_csv, read_head
from discreet.data.file_layout import find_delimiter, find_quote
from discreet.data.table import Table
from discreet.errors import DataError

MARK = "SECRET-" + "7731"  # in pieces: a traceback shows the line of source that failed


@pytest.fixture
def write(tmp_path):
    def writer(content: str | bytes, name: str = "t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def refused(path, **options) -> str:
    """The message of the refusal: one paragraph, without a cell, without another error behind it."""
    with pytest.raises(DataError) as caught:
        Table.of(path, **options).columns()
    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(error)
    assert MARK not in shown
    assert error.__context__ is None
    assert error.__cause__ is None
    assert "\n" not in str(error)
    assert str(error).endswith((".", ")."))
    return str(error)


def rows(path, **options) -> list[list]:
    table, _ = read_csv(path, **options)
    return [table.column_names, *map(list, zip(*(column.to_pylist() for column in table.columns), strict=True))]


# -- dialects ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(write, delimiter):
    content = [["age", "city"], ["31", "Bonn"], ["4.5", "Ulm"]]
    path = write("\n".join(delimiter.join(row) for row in content) + "\n")
    assert rows(path) == content
    assert rows(path, delimiter=delimiter) == content


def test_a_delimiter_must_cut_the_first_line_too(write):
    assert find_delimiter("remark;x\n1,5;a,b,c\n2,5;a,b,c\n") == ";"
    assert find_delimiter("one column\n1\n2\n") == ","


def test_quotes_may_hold_delimiters_quotes_and_line_ends(write):
    path = write('name,remark\n"Doe, J","said ""hi"""\nRoe,"two\nlines"\n')
    assert rows(path)[1:] == [["Doe, J", 'said "hi"'], ["Roe", "two\nlines"]]


def test_single_quotes_are_found_where_they_wrap(write):
    assert rows(write("'a','b'\n'1,5','2'\n")) == [["a", "b"], ["1,5", "2"]]
    assert rows(write("a,b\nO'Neil,it's\n"))[1] == ["O'Neil", "it's"]
    assert find_quote("'a',\"b\"\n") == '"'
    assert rows(write("a;b\n'x;y';2\n"), quote="'")[1] == ["x;y", "2"]


def test_no_quoting_when_asked(write):
    assert rows(write('a,b\n5" pipe,"x\n'), quote="")[1] == ['5" pipe', '"x']


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_empty_lines(write, end):
    path = write(end.join(["", "a,b", "1,2", "", "3,4", "", ""]))
    assert rows(path) == [["a", "b"], ["1", "2"], ["3", "4"]]


def test_very_many_empty_lines_above_the_names_and_the_rows(write):
    """Half a million of them, which took an hour when the rest was searched from every one."""
    empty = "\n" * (1 << 19)
    assert rows(write(f"{empty}a,b\n1,2\n")) == [["a", "b"], ["1", "2"]]
    assert rows(write(f"a,b\n{empty}1,2\n")) == [["a", "b"], ["1", "2"]]


def test_the_head_of_a_file_holds_its_first_line(write):
    """However many empty lines are above it, and a row below it unless it is the last."""
    line = b"a," * (1 << 17)
    for above, below in ((b"", b"\n1"), (b"\n" * 9, b"\r\n\n1"), (b"\n" * (1 << 18), b"\n \n1"), (b" \n", b"\n\n")):
        assert read_head(write(above + line + below + b"\n")).strip() == (line + below).strip()


def test_a_single_column_keeps_its_quoted_empty_cells(write):
    table = Table.of(write('a\n1\n""\n3\n'))
    assert table.column("a").codes.tolist() == [0, 2, 1]


def test_cells_with_spaces_are_trimmed_names_too(write):
    table = Table.of(write(" age , job \n 31 , Private \n 32 ,Private\n"))
    assert table.names == ("age", "job")
    assert table.column("job").codes.tolist() == [0, 0]


# -- encodings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-32"])
def test_the_encoding_is_found(write, encoding):
    content = "größe,ort\n1,Köln\n2,Zürich\n"
    assert rows(write(content.encode(encoding))) == [["größe", "ort"], ["1", "Köln"], ["2", "Zürich"]]


def test_a_foreign_byte_in_the_header_or_far_below_is_found_too(write):
    assert rows(write("größe,b\n1,2\n".encode("cp1252")))[0] == ["größe", "b"]
    far = "a,b\n" + "1,2\n" * 200_000 + "3,Köln\n"
    assert rows(write(far.encode("cp1252")))[-1] == ["3", "Köln"]
    odd = "a,b\n1,\x81é\n".encode("latin-1")
    assert "cannot be told" in refused(write(odd))  # cp1252 has no 0x81
    assert rows(write(odd), encoding="latin-1")[1] == ["1", "\x81é"]
    late = "a,b\n" + "1,2\n" * 200_000 + "3,Łódź koło\n"
    assert "encoding='cp1250'" in refused(write(late.encode("cp1250")))


def test_the_encoding_is_given(write):
    content = "a,b\n1,Ж\n"
    assert rows(write(content.encode("cp1251")), encoding="cp1251")[1] == ["1", "Ж"]
    assert rows(write(content.encode("utf-16-le")), encoding="utf-16-le")[1] == ["1", "Ж"]
    assert rows(write(b"\xef\xbb\xbf1,2\n"), names=["a", "b"]) == [["a", "b"], ["1", "2"]]
    assert "not an encoding that Python knows" in refused(write(content), encoding="klingon")
    assert "not encoded in ascii" in refused(write(content + MARK), encoding="ascii")
    assert "not encoded in utf-8" in refused(write(content.encode("cp1251")), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "pack"), [("t.csv.gz", gzip.compress), ("t.csv.bz2", bz2.compress), ("t", gzip.compress)]
)
def test_packed_files_are_told_by_their_bytes(write, name, pack):
    assert rows(write(pack(b"a,b\n1,2\n"), name)) == [["a", "b"], ["1", "2"]]


def test_a_plain_file_called_gz_is_read(write):
    assert rows(write("a,b\n1,2\n", "t.csv.gz"))[1] == ["1", "2"]


# -- names -------------------------------------------------------------------------------------------------------------


def test_names_are_given_where_there_is_no_header(write):
    path = write("31,f\n45,m\n")
    assert rows(path, names=["age", "sex"]) == [["age", "sex"], ["31", "f"], ["45", "m"]]
    assert rows(path, header=False)[0] == ["column1", "column2"]
    assert "3 names were given, but 't.csv' has 2 columns" in refused(path, names=["a", "b", "c"])


def test_a_first_line_that_looks_like_data_is_not_taken_for_names(write):
    people = write(f"39,{MARK},Male\n50,{MARK},Male\n39,x,Female\n")
    assert "looks like data, not like names (3 of its 3 cells)" in refused(people)
    assert rows(people, header=True)[0] == ["39", MARK, "Male"]
    assert "2 of its 2 cells" in refused(write("-1.25,0.5\n2.5,3.5\n"))
    assert "2 of its 2 cells" in refused(write("2020-01-31,?\n2020-02-01,4\n"))
    assert rows(write("2019,2020,2021\n1,2,3\n"))[0] == ["2019", "2020", "2021"]  # years are fine names
    assert rows(write("name,sex\nAnn,sex\n"))[0] == ["name", "sex"]


def test_a_name_of_very_many_digits_is_a_name(write):
    names = ["7" * 5000, "8" * 5000, "1"]
    assert rows(write(",".join(names) + "\nx,y,z\n"))[0] == names
    assert "2 of its 2 cells" in refused(write(",".join(names[:2]) + "\n1,2\n3,4\n"))


def test_nameless_and_repeated_names_are_refused_by_place(write):
    assert "1 of the 3 columns have no name (column 2)" in refused(write(f"a,,b\n0,1,{MARK}\n"))
    assert rows(write(f",a,b\n0,1,{MARK}\n"))[0] == ["row_names", "a", "b"]
    assert "more than once: columns 1, 3" in refused(write(f"{MARK},a,{MARK}\n1,2,3\n"))
    assert "more than once: columns 1, 2" in refused(write("a, a\n1,2\n"))


def test_a_header_longer_than_the_sample(write):
    names = [f"word{i:06}" for i in range(24_748)]
    table, _ = read_csv(write(",".join(names) + "\n" + ",".join("1" * len(names)) + "\n"))
    assert table.column_names == names


def test_very_many_columns_are_refused_by_their_number(write):
    line = ",".join(["1"] * 200_001)
    assert "has 200,001 columns (delimiter ','); at most 200,000 are read" in refused(write(f"{line}\n{line}\n"))


# -- files that are none -----------------------------------------------------------------------------------------------


def test_files_without_a_table(write, tmp_path):
    assert "is empty (0 bytes)" in refused(write(""))
    assert "is empty" in refused(write("\n \n\n"))
    assert "2 columns and no rows" in refused(write("a,b\n"))
    assert "no file 'absent.csv'" in refused(tmp_path / "absent.csv")
    assert "zero bytes" in refused(write(b"\x01\x00\x02" + MARK.encode()))
    assert "spreadsheet" in refused(write(b"PK\x03\x04\x00\x00" + MARK.encode()))


def test_ragged_rows_are_told_by_number(write):
    message = refused(write(f"a,b\n1,2\n3,4,{MARK}\n"))
    assert "row 3 has 3 cells where the first line has 2 (delimiter ',')" in message
    assert "row 2 has 1 cells" in refused(write(f"a,b\n{MARK}\n"))
    many = "a,b\n" + "1,2\n" * 100_000 + f"{MARK}\n"
    assert "row 100002 has 1 cells" in refused(write(many))
    assert "row 2 has 3 cells" in refused(write(f"a,b\n1,5,{MARK}\n"))


def test_a_quote_that_is_never_closed_does_not_swallow_the_file(write):
    assert "opened in row 3 of 't.csv' is never closed" in refused(write(f'a,b\n1,2\n3,"x\n{MARK},4\n5,6\n'))
    assert "is never closed" in refused(write(f'a,b\n1,2\n3,"x\n{MARK},4\n5,6'))
    assert rows(write('a,b\n1,"x\ny"\n'))[1] == ["1", "x\ny"]
    assert rows(write('a,b\n1,"x\ny"'))[1] == ["1", "x\ny"]
    assert rows(write(gzip.compress(b'a,b\n1,"x\ny"\n')))[1] == ["1", "x\ny"]


def test_packed_files_that_are_cut_off(write):
    whole = gzip.compress(("a,b\n" + "".join(f"{i},{MARK}\n" for i in range(50_000))).encode())
    assert "cannot be read" in refused(write(whole[:1000], "t.csv.gz"))
    assert "cannot be read" in refused(write(whole[:-20], "t.csv.gz"))
    assert "cannot be read" in refused(write(b"\x1f\x8b" + MARK.encode(), "t.csv.gz"))


@pytest.mark.parametrize("option", [{"delimiter": ";;"}, {"delimiter": "§"}, {"quote": "''"}, {"delimiter": "\n"}])
def test_options_that_are_no_characters(write, option):
    assert "must be one ASCII character" in refused(write("a,b\n1,2\n"), **option)


def test_a_path_that_cannot_be_opened(write, monkeypatch):
    path = write("a,b\n1,2\n")

    def denied(*_, **__):
        raise PermissionError(f"{MARK} denied")

    monkeypatch.setattr("pathlib.Path.open", denied)
    assert "cannot be opened (PermissionError)" in refused(path)


@given(st.binary(min_size=1, max_size=300))
def test_no_bytes_crash_the_reader(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "t.csv"
    path.write_bytes(junk)
    with suppress(DataError):  # and no other error
        Table.of(path).columns()


@given(st.text(st.sampled_from("ab1,;\"'\n\r\t |\\"), min_size=1, max_size=60))
def test_no_text_crashes_the_reader(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("text") / "t.csv"
    path.write_text(text, newline="")
    with suppress(DataError):  # and no other error
        Table.of(path).columns()
