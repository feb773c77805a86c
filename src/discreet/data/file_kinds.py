# SPDX-License-Identifier: Apache-2.0
"""What kind of file this is, by its content: names and endings are often wrong.

Files that people take for tables, but that are none, get an error that says what they are and what to do instead.
"""

from __future__ import annotations

import re

from discreet.data.database_files import database_kind
from discreet.data.held_file import Source, codec_of, head_of, members_of, only_member, only_source
from discreet.errors import DataError, quietly, shown

TEXT = "text"  # a CSV file, as far as can be told
PACKED = "zip"
_SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
_STARTS = {  # kinds that are read
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\xff\xff\xff\xff": "Arrow",
    b"FEA1": "Arrow",
    b"$FL2": "SPSS",
    b"$FL3": "SPSS",
    b"<stata_dta>": "Stata",
    _SAS: "SAS",
    b"HEADER RECORD*******LIB": "SAS transport",
}
_OLD_STATA = re.compile(rb"[\x68-\x73][\x01\x02]\x01\x00")
_OLD_RDS = re.compile(rb"A\n[23]\n\d{6}\n")
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*[\[{"\]]|\{\s*["}])')
_SAVE = "Open it in the program that made it and save the table as CSV or Excel."
_FROM_R = "Save the table in R as CSV (write.csv), Parquet (arrow::write_parquet) or Stata (haven::write_dta)."
_NO_TABLES = (  # beginnings, what such a file is, what to do
    ((b"%PDF-",), "a PDF document", "Ask for the table behind it as CSV or Excel."),
    (
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*"),
        "an image",
        "Ask for the table as CSV or Excel.",
    ),
    ((b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"), "a workspace of R (.RData)", _FROM_R),
    ((b"X\n\0\0\0", b"B\n\2", b"B\n\3"), "an object of R (.rds)", _FROM_R),
    ((b"\0\1\0\0Standard",), "a database of Access", "Export the table from Access as Excel or CSV."),
    ((b"{\\rtf",), "a text document (RTF)", _SAVE),
    ((b"\x89HDF", b"\x93NUMPY"), "an array file (HDF5 or NumPy)", "Save the table as CSV or Parquet."),
    ((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), "a pickle, which is never opened", "Save it as Parquet."),
    ((b"Obj\x01",), "an Avro file", "Save the table as Parquet or CSV."),
    ((b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"\x04\x22\x4d\x18"), "an archive (7z, RAR, xz or LZ4)", "Unpack it first."),
    ((b"MATLAB 5.0",), "a file of MATLAB", "Save the table as CSV (writetable)."),
)
_MARKUP = re.compile(
    rb"(\xef\xbb\xbf)?\s*<(!doctype|html|head|body|table|\?xml|!--|[a-z]+:?[a-z]*[ >/])", re.IGNORECASE
)
_SQL = re.compile(
    rb"(?:\s|--[^\n]*\n|/\*.*?\*/;?)*(?:insert\s+into|create\s+table|drop\s+table)\s", re.IGNORECASE | re.DOTALL
)
_ARFF = re.compile(rb"(?:\s|%[^\n]*\n)*@relation\s", re.IGNORECASE)
_OFFICE = {  # members of zip archives
    "xl/workbook.xml": "Excel",
    "xl/workbook.bin": "Excel",
    "word/document.xml": "a text document (Word)",
    "ppt/presentation.xml": "a presentation",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how old Office files begin, and encrypted new ones
_STREAMS = {  # in such a file
    "EncryptedPackage": "a workbook or document that is protected by a password",
    "Workbook": "Excel",
    "Book": "Excel",
    "WordDocument": "a text document (Word)",
    "PowerPoint Document": "a presentation",
}


def kind_of(source: Source) -> str:
    """The kind of a file: "Parquet", "SQLite", "DuckDB", "Arrow", "Excel", "SPSS", "SPSS portable", "Stata", "SAS",
    "SAS transport", "JSON", "zip" (also for what is compressed otherwise and no text) or, of anything that may be a CSV
    file, "text". DataError if it is no table.

    >>> from discreet.data.held_file import HeldFile
    >>> kind_of(HeldFile("a.csv", b"age,sex")), kind_of(HeldFile("a.csv", b'[{"age": 31}]'))
    ('text', 'JSON')
    """
    head = head_of(source)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16
        head = head.decode("utf-16", errors="ignore").encode("utf-8", errors="ignore")
    kind = database_kind(head) or next((kind for start, kind in _STARTS.items() if head.startswith(start)), None)
    if kind is not None:
        return kind
    if _OLD_STATA.match(head):
        return "Stata"
    if b"SPSS PORT FILE" in re.sub(rb"[\r\n]", b"", head[:500]):
        return "SPSS portable"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return PACKED if _is_packed(source) else _of_archive(source)
    if head.startswith(_OLE):
        return PACKED if _is_packed(source) else _of_streams(source)
    for starts, what, instead in _NO_TABLES:
        if head.startswith(starts):
            raise _no_table(source, what, instead)
    if _SQL.match(head):
        raise _no_table(source, "a script of SQL", "Load it into a database, and pass that or an export of it.")
    if _ARFF.match(head):
        raise _no_table(source, "a file of Weka (ARFF)", "Save it in Weka as CSV.")
    if _OLD_RDS.match(head):
        raise _no_table(source, "an object of R (.rds)", _FROM_R)
    if _MARKUP.match(head):
        what = "a web page or another document in HTML or XML"
        raise _no_table(source, what, "Open it in a spreadsheet and save the table as Excel or CSV.")
    return "JSON" if _JSON.match(head) else TEXT


def text_behind(path: Source) -> Source | None:
    """The text file that a path names, if it does: itself, standard input, the first file of a pattern, the only member
    of a zip archive. None for anything else, also for what cannot be read."""
    source, _ = quietly(lambda: only_source(path))
    kind, _ = quietly(kind_of, source)
    if kind == PACKED and source is not None:
        source, _ = quietly(only_member, source)
        kind, _ = quietly(kind_of, source)
    return source if kind == TEXT else None


def _no_table(source: Source, what: str, instead: str) -> DataError:
    return DataError(f"{shown(source.name)} is {what}, not a table. {instead}")


def _is_packed(source: Source) -> bool:
    with source.open("rb") as file:
        return codec_of(file.read(4)) is not None


def _of_archive(source: Source) -> str:
    members = set(members_of(source))
    for member, kind in _OFFICE.items():
        if member in members:
            return _table_or_error(source, kind)
    if {"content.xml", "mimetype"} <= members:
        return "Excel" if b"opendocument.spreadsheet" in head_of(source, 200) else _table_or_error(source, "a document")
    return PACKED


def _of_streams(source: Source) -> str:
    """By the names of the streams in a compound file, which its directory lists as UTF-16."""
    with source.open("rb") as file:
        header = file.read(512)
        size = 1 << min(int.from_bytes(header[30:32], "little"), 12)
        file.seek(min((int.from_bytes(header[48:52], "little") + 1) * size, 2**40))
        directory = file.read(2**14)
    entries = [directory[at : at + 128] for at in range(0, len(directory), 128)]
    streams = {entry[:64].decode("utf-16-le", errors="replace").rstrip("\0") for entry in entries}
    found = next((kind for stream, kind in _STREAMS.items() if stream in streams), "a document of an old format")
    return _table_or_error(source, found)


def _table_or_error(source: Source, kind: str) -> str:
    if kind == "Excel":
        return kind
    instead = "Remove the password in Excel and save it again." if "password" in kind else _SAVE
    raise _no_table(source, kind, instead)
