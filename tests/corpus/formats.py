# SPDX-License-Identifier: Apache-2.0
"""Files of other formats than CSV, as people have them, each with the reading that is expected, made from one seed.

What `asks` in an expectation is here the error with which the file is refused.
"""

import bz2
import datetime as dt
import gzip
import io
import json
import struct
import tempfile
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import xlsxwriter

from corpus.case import Case, Expected

SEED, ROWS = 19, 12
RANDOM = Random(SEED)
SECRET = "Zarathustra"  # a cell that no error may quote
PEOPLE = {
    "age": [RANDOM.randint(18, 90) for _ in range(ROWS)],
    "sex": [RANDOM.choice(["f", "m"]) for _ in range(ROWS)],
    "income": [round(RANDOM.uniform(900, 9000), 2) for _ in range(ROWS)],
    "born": [dt.date(1930, 1, 1) + dt.timedelta(days=RANDOM.randint(0, 30_000)) for _ in range(ROWS)],
    "zip": [f"0{RANDOM.randint(1000, 9999)}" for _ in range(ROWS)],
    "ill": [RANDOM.choice(["yes", "no", None]) for _ in range(ROWS - 1)] + ["yes"],
}
FRAME = pd.DataFrame(PEOPLE)
KINDS = {"age": "number", "income": "number", "born": "date", "zip": "category", "ill": "category"}


def meant(
    values: dict[str, list[Any]],
    kinds: dict[str, str] | None = None,
    options: dict[str, Any] | None = None,
    *,
    notes: tuple[str, ...] = (),
) -> Expected:
    """What a file means to its author; dates are written as text."""
    texts = {
        name: [str(cell) if isinstance(cell, dt.date) else cell for cell in cells] for name, cells in values.items()
    }
    return Expected(kinds or {}, texts, notes, (), options or {})


def refused(words: str, **options: Any) -> Expected:
    return Expected(asks=(words,), options=options)


AS_IS = meant(PEOPLE, KINDS)


# -- workbooks ---------------------------------------------------------------------------------------------------------


def workbook(*sheets, at=(0, 0), fill=None, hidden=()):
    """An .xlsx file: sheets are (name, rows); `fill` does more to the first one."""
    sink = io.BytesIO()
    book = xlsxwriter.Workbook(sink, {"in_memory": True, "strings_to_formulas": False})
    day = book.add_format({"num_format": "dd.mm.yyyy"})
    moment = book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
    for number, (name, rows) in enumerate(sheets):
        sheet = book.add_worksheet(name)
        for r, row in enumerate(rows, start=at[0]):
            for c, cell in enumerate(row, start=at[1]):
                if isinstance(cell, dt.datetime):
                    sheet.write_datetime(r, c, cell, moment)
                elif isinstance(cell, dt.date):
                    sheet.write_datetime(r, c, cell, day)
                elif cell is not None:
                    sheet.write(r, c, cell)
        if fill is not None and not number:
            fill(book, sheet)
        if name in hidden:
            sheet.hide()
    book.close()
    return sink.getvalue()


def rows_of(columns=PEOPLE):
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def excel_files():
    body = rows_of()
    title = [["Patients of ward 3"], [], *body]
    yield "plain.xlsx", workbook(("Sheet1", body)), AS_IS
    yield "called.csv", workbook(("Sheet1", body)), AS_IS
    yield "far-from-the-corner.xlsx", workbook(("Sheet1", body), at=(4, 2)), AS_IS
    merged = workbook(("S", title), fill=lambda book, sheet: sheet.merge_range(0, 0, 0, 5, "Patients of ward 3"))
    yield "title.xlsx", merged, meant(PEOPLE, KINDS, notes=("1 row was left out",))
    groups = [["Person", None, "Money", None, None, "Health"], *body]
    yield "two-headers.xlsx", workbook(("S", groups)), meant(PEOPLE, KINDS, notes=("1 row was left out",))
    remarks = [*body, [], ["Source: register"], ["* provisional"]]
    yield "remarks.xlsx", workbook(("S", remarks)), meant(PEOPLE, KINDS, notes=("2 rows were left out",))
    both = (("People", body), ("Codes", [["code", "text"], [1, "yes"]]))
    yield "sheets.xlsx", workbook(*both), meant(PEOPLE, KINDS, {"table": "People"})
    yield "sheets-unnamed.xlsx", workbook(*both), refused("2 sheets: 'People', 'Codes'")
    yield "sheet-misspelt.xlsx", workbook(*both), refused("no sheet 'Peple'. Did you mean 'People'?", table="Peple")
    yield "hidden-sheet.xlsx", workbook(*both, hidden=("Codes",)), AS_IS
    yield "empty-sheets.xlsx", workbook(("People", body), ("Sheet2", []), ("Sheet3", [])), AS_IS
    yield "no-cells.xlsx", workbook(("Sheet1", [])), refused("no sheet with cells")
    gaps = [body[0], body[1], [], *body[2:]]
    yield "empty-row.xlsx", workbook(("S", gaps)), AS_IS
    moments = {"at": [dt.datetime(2024, 3, d, 7, 30) for d in range(1, 6)], "n": [1, 2, 3, 4, 5]}
    yield "moments.xlsx", workbook(("S", rows_of(moments))), meant(moments, {"at": "date"})
    mixed = {"n": [1, "n/a", 3.5, "4", None], "b": [True, False, True, True, False], "t": ["x", 7, "7", "y", None]}
    wanted = {"n": [1, None, 3.5, 4, None], "b": mixed["b"], "t": ["x", "7", "7", "y", None]}
    yield "mixed.xlsx", workbook(("S", rows_of(mixed))), meant(wanted, {"n": "number", "t": "category"})

    def formulas(book, sheet):
        sheet.write_formula(1, 1, "=A2*2", None, 62)
        sheet.write_formula(2, 1, "=1/0", None, "#DIV/0!")
        sheet.write_formula(3, 1, '=CONCAT("a")', None, 90)

    computed = [["age", "twice"], [31], [40], [45]]
    wanted = {"age": [31, 40, 45], "twice": [62, None, 90]}
    yield "formulas.xlsx", workbook(("S", computed), fill=formulas), meant(wanted, {"twice": "number"})
    wards = [["ward", "age", "sex"], ["A", 31, "f"], [None, 40, "m"], ["B", 45, "f"]]
    joined = workbook(("S", wards), fill=lambda book, sheet: sheet.merge_range(1, 0, 2, 0, "A"))
    yield "merged-body.xlsx", joined, meant({"ward": ["A", "A", "B"], "age": [31, 40, 45]})
    bare = [[31, "f"], [40, "m"], [31, "f"]]
    yield "no-header.xlsx", workbook(("S", bare)), refused("looks like data")
    yield "named.xlsx", workbook(("S", bare)), meant({"age": [31, 40, 31]}, {}, {"names": ["age", "sex"]})
    yield "numbered.xlsx", workbook(("S", bare)), meant({"column2": ["f", "m", "f"]}, {}, {"header": False})
    years = [[2019, 2020, 2021], [5, 6, 7], [8, 9, 10]]
    yield "years.xlsx", workbook(("S", years)), meant({"2019": [5, 8]}, {}, {"header": True})
    index = [[None, "name", "sex"], [0, "Ann", "f"], [1, "Bob", "m"]]
    indexed = {"row_names": [0, 1], "name": ["Ann", "Bob"], "sex": ["f", "m"]}
    yield "pandas-index.xlsx", workbook(("S", index)), meant(indexed, {}, notes=("it is called row_names",))
    titled = [["By country"], ["country", 2019, 2020], ["DE", 5, 6], ["FR", 7, 8]]
    yield "titled-years.xlsx", workbook(("S", titled)), meant({"2020": [6, 8]}, {}, {"header": True})
    yield "nameless.xlsx", workbook(("S", [["a", None], [1, 2], [3, 4]])), refused("no name (column 2)")
    yield "cut.xlsx", workbook(("S", body))[:3000], refused("damaged spreadsheet or zip archive")
    yield "options.xlsx", workbook(("S", body)), refused("'delimiter' are for CSV files", delimiter=";")
    yield "old.xls", old_workbook(body), AS_IS
    yield "binary.xlsb", binary_workbook(body), AS_IS
    yield "calc.ods", open_document(body), AS_IS


def compound(streams):
    """A compound file (OLE) of streams, each of which has a multiple of 512 and at least 4096 bytes."""
    sectors, starts = [], {}
    for name, content in streams.items():
        content = content.ljust(max(4096, -(-len(content) // 512) * 512), b"\0")
        starts[name] = (len(sectors), len(content))
        sectors += [content[at : at + 512] for at in range(0, len(content), 512)]
    chain = [0xFFFFFFFE] * len(sectors)
    for first, size in starts.values():
        for at in range(first, first + size // 512 - 1):
            chain[at] = at + 1
    entries = [_entry("Root Entry", 5, 1, 0xFFFFFFFE, 0)]
    entries += [_entry(name, 2, 0xFFFFFFFF, *starts[name]) for name in streams]
    directory = b"".join(entries).ljust(512, b"\0")
    chain += [0xFFFFFFFE, 0xFFFFFFFD]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(512, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, 1, len(sectors), 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    head += struct.pack("<I", len(sectors) + 1) + b"\xff" * (4 * 108)
    return head + b"".join(sectors) + directory + table


def _entry(name, kind, child, start, size):
    text = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI16xIQ", text, len(text) + 2, kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child, 0, start, size
    )


def _texts(rows):
    return [[cell.isoformat() if isinstance(cell, dt.date) else cell for cell in row] for row in rows]


def old_workbook(rows):
    """An .xls file (BIFF8) of one sheet, with numbers and labels."""

    def record(kind, content=b""):
        return struct.pack("<HH", kind, len(content)) + content

    cells = b""
    for r, row in enumerate(_texts(rows)):
        for c, cell in enumerate(row):
            if isinstance(cell, str):
                label = struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le")
                cells += record(0x204, struct.pack("<HHH", r, c, 0) + label)
            elif cell is not None:
                cells += record(0x203, struct.pack("<HHHd", r, c, 0, cell))
    begin = struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0)
    sheet = record(0x809, begin) + cells + record(0x0A)
    name = b"S"
    place = 4 + 16 + 4 + 6 + 2 + len(name) + 4
    start = struct.pack("<IBBBB", place, 0, 0, len(name), 0) + name
    globals_ = record(0x809, struct.pack("<HHHHII", 0x600, 0x5, 0, 0, 0, 0)) + record(0x85, start) + record(0x0A)
    assert len(globals_) == place
    return compound({"Workbook": globals_ + sheet})


def binary_workbook(rows):
    """An .xlsb file of one sheet."""

    def record(kind, content=b""):
        number = bytes([kind]) if kind < 128 else bytes([kind & 0xFF, kind >> 8])
        size, length = b"", len(content)
        while True:
            size += bytes([length & 127 | (128 if length > 127 else 0)])
            length >>= 7
            if not length:
                return number + size + content

    def text(word):
        return struct.pack("<I", len(word)) + word.encode("utf-16-le")

    size = struct.pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1)
    body = record(0x0181) + record(0x0194, size) + record(0x0191)
    for r, row in enumerate(_texts(rows)):
        body += record(0, struct.pack("<I", r) + bytes(21))
        for c, cell in enumerate(row):
            if isinstance(cell, str):
                body += record(6, struct.pack("<II", c, 0) + text(cell))
            elif cell is not None:
                body += record(5, struct.pack("<IId", c, 0, cell))
    body += record(0x0192) + record(0x0182)
    sheets = record(0x0183) + record(0x018F) + record(0x019C, struct.pack("<II", 0, 1) + text("rId1") + text("S"))
    sheets += record(0x0190) + record(0x0184)
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
    links = f'<Relationship Id="rId1" Type="{kind}" Target="worksheets/sheet1.bin"/>'
    return archive(
        {
            "[Content_Types].xml": b"<Types/>",
            "xl/workbook.bin": sheets,
            "xl/_rels/workbook.bin.rels": f"<Relationships>{links}</Relationships>".encode(),
            "xl/worksheets/sheet1.bin": body,
        }
    )


def open_document(rows):
    """An .ods file of one sheet."""

    def cell(value):
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, dt.date):
            return f'<table:table-cell office:value-type="date" office:date-value="{value}"/>'
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"' for short in ("office", "table", "text")
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = b"application/vnd.oasis.opendocument.spreadsheet"
    return archive(
        {"mimetype": kind, "META-INF/manifest.xml": b"<manifest/>", "content.xml": content.encode()}, stored=True
    )


def archive(members, *, stored=False):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), content)
    return sink.getvalue()


# -- statistics programs -----------------------------------------------------------------------------------------------


def written(write, frame, ending, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x.{ending}"
        write(frame, str(path), **options)
        return path.read_bytes()


def statistics_files():
    codes = FRAME.assign(sex=FRAME.sex.map({"f": 1, "m": 2}))
    labels = {"sex": {1: "female", 2: "male"}}
    wanted = PEOPLE | {"sex": [{"f": "female", "m": "male"}[sex] for sex in PEOPLE["sex"]]}
    labelled = meant(wanted, KINDS | {"sex": "category"}, notes=("labels of its 2 values",))
    sav, dta = pyreadstat.write_sav, pyreadstat.write_dta
    whole = written(sav, codes, "sav", variable_value_labels=labels)
    yield "plain.sav", written(sav, FRAME, "sav"), AS_IS
    yield "labels.sav", whole, labelled
    yield "labels.zsav", written(sav, codes, "zsav", compress=True, variable_value_labels=labels), labelled
    yield "called.dat", whole, labelled
    scale = pd.DataFrame({"score": [1.0, 5.0, 7.0, 99.0], "ill": ["a", "b", "a", "b"]})
    some = written(sav, scale, "sav", variable_value_labels={"score": {99: "refused"}})
    yield "some-labels.sav", some, meant({"score": [1, 5, 7, 99]}, {}, {}, notes=("1 of its 4 values have labels",))
    missing = written(
        sav, scale, "sav", missing_ranges={"score": [99]}, variable_value_labels={"score": {99: "refused"}}
    )
    yield "user-missing.sav", missing, meant({"score": [1, 5, 7, None]}, {"score": "number"})
    twice = written(sav, scale, "sav", variable_value_labels={"score": {1: "low", 5: "high", 7: "high", 99: "none"}})
    yield "same-label.sav", twice, meant({"score": ["low", "high (5)", "high (7)", "none"]})
    yield "cut.sav", whole[:400], refused("cannot be read as a file of SPSS")
    yield "table.sav", whole, refused("not a database or a workbook", table="people")
    upper = {name.upper(): cells for name, cells in PEOPLE.items() if name != "born"}
    portable = written(pyreadstat.write_por, FRAME.drop(columns="born"), "por")
    yield "portable.por", portable, meant(upper)
    yield "plain.dta", written(dta, FRAME, "dta"), AS_IS
    yield "labels.dta", written(dta, codes, "dta", variable_value_labels=labels, version=13), labelled
    yield "old.dta", written(dta, codes, "dta", variable_value_labels=labels, version=8), labelled
    marks = pd.DataFrame({"score": [1.0, 5.0, "a", 7.0], "ill": ["a", "b", "a", "b"]})
    extended = written(dta, marks, "dta", missing_user_values={"score": ["a"]})
    yield "extended-missing.dta", extended, meant({"score": [1, 5, None, 7]}, {"score": "number"})
    yield "cut.dta", written(dta, FRAME, "dta")[:700], refused("cannot be read as a file of Stata")
    for version in (5, 8):
        transport = written(pyreadstat.write_xport, FRAME, "xpt", file_format_version=version)
        yield f"transport{version}.xpt", transport, AS_IS
    broken = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011") + bytes(5000)
    yield "broken.sas7bdat", broken, refused("cannot be read as a file of SAS")


# -- JSON, Arrow, packed files -----------------------------------------------------------------------------------------


def records():
    rows = [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)]
    return [row | {"born": row["born"].isoformat()} for row in rows]


def json_files():
    lines = "\n".join(map(json.dumps, records()))
    yield "lines.jsonl", lines.encode(), AS_IS
    yield "windows.ndjson", ("\ufeff" + lines.replace("\n", "\r\n") + "\r\n").encode(), AS_IS
    yield "array.json", json.dumps(records()).encode(), AS_IS
    yield "pretty.json", json.dumps(records(), indent=2).encode(), AS_IS
    yield "utf16.json", json.dumps(records()).encode("utf-16"), AS_IS
    sparse = [{name: cell for name, cell in row.items() if cell is not None} for row in records()]
    yield "sparse.jsonl", "\n\n".join(map(json.dumps, sparse)).encode(), AS_IS
    nested = "\n".join(json.dumps(row | {"tags": ["a"], "place": {"x": 1}}) for row in records())
    yield "nested.jsonl", nested.encode(), AS_IS
    mixed = '{"n": 1, "t": "x"}\n{"n": "n/a", "t": 12345678901234567890}\n{"n": 2.5, "t": true}'
    wanted = {"n": [1, None, 2.5], "t": ["x", "12345678901234567890", "true"]}
    yield "mixed.jsonl", mixed.encode(), meant(wanted, {"n": "number"})
    yield "other.json", json.dumps({"rows": records()}).encode(), refused("another shape")
    yield "lists.json", b'[["age", "sex"], [31, "f"]]', refused("2 of the 2 entries")
    yield "broken.jsonl", (lines + '\n{"age": ' + SECRET).encode(), refused(f"Line {ROWS + 1} of")
    yield "twice.jsonl", b'{"a": 1, "a": 2}\n{"a": 3}', refused("Line 1 of")


def arrow_files():
    table = pa.table(PEOPLE)
    for name, options in (("file.arrow", {}), ("packed.arrow", {"compression": "zstd"})):
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as file:
            file.write_table(table)
        yield name, sink.getvalue(), AS_IS
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    yield "stream.arrows", sink.getvalue(), AS_IS
    yield "cut.arrows", sink.getvalue()[:500], refused("not a readable Arrow file")
    sink = io.BytesIO()
    feather.write_feather(pa.Table.from_pandas(FRAME.set_index(FRAME.index + 5)), sink, compression="lz4")
    yield "pandas.feather", sink.getvalue(), AS_IS
    coded = table.set_column(1, "sex", table.column("sex").dictionary_encode())
    sink = io.BytesIO()
    pq.write_table(coded, sink, compression="zstd")
    yield "called.xlsx", sink.getvalue(), AS_IS


def packed_files():
    text = FRAME.to_csv(index=False).encode()
    lines = "\n".join(map(json.dumps, records())).encode()
    zstd = pa.Codec("zstd")
    yield "table.csv.gz", gzip.compress(text, mtime=0), AS_IS
    yield "table.csv.bz2", bz2.compress(text), AS_IS
    yield "table.csv.zst", zstd.compress(text, asbytes=True), AS_IS
    yield "lines.jsonl.gz", gzip.compress(lines, mtime=0), AS_IS
    yield "book.xlsx.gz", gzip.compress(workbook(("S", rows_of())), mtime=0), AS_IS
    yield "plain.sav.zst", zstd.compress(written(pyreadstat.write_sav, FRAME, "sav"), asbytes=True), AS_IS
    yield "table.zip", archive({"people.csv": text}), AS_IS
    extra = {"__MACOSX/._people.csv": b"x", ".DS_Store": b"x"}
    yield "mac.zip", archive(extra | {"data/people.csv": text}), AS_IS
    yield "book.zip", archive({"book.xlsx": workbook(("S", rows_of()))}), AS_IS
    yield "lines.zip", archive({"lines.jsonl": lines}), AS_IS
    yield "two.zip", archive({"a.csv": text, "b.csv": text}), refused("zip archive of 2 files")
    deep = archive({"a.zip": archive({"a.csv.gz": gzip.compress(text, mtime=0)})})
    yield "twice.zip", archive({"a.csv.gz": gzip.compress(text, mtime=0)}), AS_IS
    yield "deep.zip", archive({"a.zip": deep}), refused("packed more than 2 times")
    yield "none.zip", archive({}), refused("zip archive of 0 files")


def other_files():
    r = "Save the table in R"
    yield "report.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", refused("a PDF document, not a table")
    yield "page.html", b"<!DOCTYPE html>\n<html><table><tr><td>1</td></tr></table></html>", refused("web page")
    yield "table.html", b"  <table border=1><tr><td>1</td></tr></table>", refused("web page")
    yield "excel-2003.xml", b'<?xml version="1.0"?><Workbook/>', refused("HTML or XML")
    yield "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64), refused("an image")
    yield "scan.jpg", b"\xff\xd8\xff\xe0" + bytes(64), refused("an image")
    yield "object.rds", gzip.compress(b"X\n\0\0\0\3\0\4\3\0", mtime=0), refused(r)
    yield "space.RData", gzip.compress(b"RDX3\nX\n\0\0\0\3", mtime=0), refused(r)
    yield "access.mdb", b"\0\1\0\0Standard Jet DB\0" + bytes(64), refused("database of Access")
    yield "text.rtf", b"{\\rtf1\\ansi hello}", refused("RTF")
    yield "frame.pkl", b"\x80\x04\x95" + bytes(20), refused("a pickle, which is never opened")
    yield "array.npy", b"\x93NUMPY\x01\x00" + bytes(64), refused("HDF5 or NumPy")
    yield "packed.7z", b"7z\xbc\xaf\x27\x1c" + bytes(64), refused("an archive")
    yield "letter.docx", archive({"[Content_Types].xml": b"", "word/document.xml": b""}), refused("Word")
    yield "talk.pptx", archive({"ppt/presentation.xml": b""}), refused("a presentation")
    letter = {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b""}
    yield "letter.odt", archive(letter, stored=True), refused("a document")
    yield (
        "locked.xlsx",
        compound({"EncryptionInfo": b"x", "EncryptedPackage": b"x"}),
        refused("protected by a password"),
    )
    yield "letter.doc", compound({"WordDocument": b"x"}), refused("Word")


def families_of_formats() -> list[Case]:
    """All files of other formats than CSV."""
    makers = (excel_files, statistics_files, json_files, arrow_files, packed_files, other_files)
    return [Case(name, content, expected) for make in makers for name, content, expected in make()]
