# SPDX-License-Identifier: Apache-2.0
"""One small table in many text files: delimiters, quotes, encodings, line ends, and what programs put around rows."""

import bz2
import gzip

from corpus.case import Case, Expected

ROWS = [["town", "age", "income"], ["Köln", "31", "1200,5"], ["Zürich", "45", "980,25"], ["Ulm", "", "77"]]
VALUES = {"town": ["Köln", "Zürich", "Ulm"], "age": [31, 45, None], "income": [1200.5, 980.25, 77]}
KINDS = {"town": "category", "age": "number", "income": "number"}


def text(delimiter: str = ";", *, end: str = "\n", rows: list[list[str]] | None = None, last: str = "") -> str:
    return "".join(delimiter.join(row) + last + end for row in rows or ROWS)


def read(*sentences: str, **options: object) -> Expected:
    return Expected(KINDS, VALUES, sentences, options=options)


def families_of_dialects() -> list[Case]:
    made = {**_plain(), **_above(), **_below(), **_quotes()}
    listed = []
    for name, (content, expected) in made.items():
        data = content.encode() if isinstance(content, str) else content
        listed.append(Case(f"{name}.csv", data, expected))
    return listed


def _plain() -> dict[str, tuple[str | bytes, Expected]]:
    body = text()
    encodings = {
        name: (body.encode(name), read(f"The file is encoded in {told}."))
        for name, told in {"utf-16": "utf-16", "cp1252": "cp1252", "utf-32": "utf-32"}.items()
    }
    return {
        "semicolons": (body, read()),
        "tabs": (text("\t"), read()),
        "pipes": (text("|"), read()),
        "mark-of-order": (body.encode("utf-8-sig"), read()),
        **encodings,
        "latin-1": (body.encode("latin-1"), read("The file is encoded in cp1252.")),
        "utf-16-be": (b"\xfe\xff" + body.encode("utf-16-be"), read("The file is encoded in utf-16.")),
        "utf-16-le-without-mark": (body.encode("utf-16-le"), read("The file is encoded in utf-16-le.")),
        "utf-16-be-without-mark": (body.encode("utf-16-be"), read("The file is encoded in utf-16-be.")),
        "encoding-given": (body.encode("cp437"), read(encoding="cp437")),
        "windows-line-ends": (text(end="\r\n"), read()),
        "macintosh-line-ends": (text(end="\r"), read()),
        "no-last-line-end": (body.rstrip("\n"), read()),
        "packed-gz": (gzip.compress(body.encode(), mtime=0), read()),
        "packed-bz2": (bz2.compress(body.encode()), read()),
        "spaces-around": (text(rows=[[f" {cell} " for cell in row] for row in ROWS]), read()),
    }


def _above() -> dict[str, tuple[str | bytes, Expected]]:
    body = text()
    numbered = "#town;age;income\n" + "".join(";".join(row) + "\n" for row in ROWS[1:])
    hashed = {"#town": VALUES["town"], "age": VALUES["age"], "income": VALUES["income"]}
    return {
        "sep-line": ("sep=;\n" + body, read("The first line names the delimiter.")),
        "sep-line-quoted": ('"sep=;"\r\n' + text(end="\r\n"), read("The first line names the delimiter.")),
        "sep-line-tab": ("sep=\t\n" + text("\t"), read("The first line names the delimiter.")),
        "sep-line-mark-of-order": (("SEP=;\r\n" + body).encode("utf-8-sig"), read("The first line names")),
        "sep-line-utf16": (("sep=;\r\n" + text(end="\r\n")).encode("utf-16"), read("The first line names")),
        "sep-line-strange": ("sep=:\n" + text(":"), read("The first line names the delimiter.")),
        "comments": ("# made by a program\n# on a day; with care\n" + body, read("2 lines of comments (#) left out.")),
        "comments-and-empty": ("\n# made by a program\n\n" + body, read("1 line of comments (#) left out.")),
        "comments-within": ("# top\n" + body.replace("Ulm", "# note\nUlm"), read("1 line that is no row left out.")),
        "sep-line-and-comment": ("sep=;\n# made\n" + body, read("The first line names", "1 line of comments")),
        "header-behind-hash": (numbered, Expected({}, hashed)),
        "comment-and-header-behind-hash": ("# made\n" + numbered, Expected({}, hashed, ["1 line of comments"])),
        "empty-lines-above": ("\n\n" + body, read()),
        "title": ("Report of the year\n\n" + body, read("2 lines above the names left out.")),
        "title-of-two-lines": ("Report\nMade on a day\n\n" + body, read("3 lines above the names left out.")),
        "title-with-delimiters": ("Report;;\n;;\n" + body, read("2 lines above the names left out.")),
        "delimiters-above": (";;\n" + body, read("1 line above the names left out.")),
        "units": (
            text(rows=[ROWS[0], ["", "[years]", "[EUR]"], *ROWS[1:]]),
            read("The units below the names left out."),
        ),
        "units-round": (text(rows=[ROWS[0], ["(name)", "(a)", "(EUR)"], *ROWS[1:]]), read("The units below the names")),
    }


def _below() -> dict[str, tuple[str | bytes, Expected]]:
    body = text()
    first, *others = ROWS
    return {
        "delimiters-at-ends": (text(last=";"), read("Delimiters at the ends of lines left out.")),
        "two-delimiters-at-ends": (text(last=";;"), read("Delimiters at the ends of lines left out.")),
        "delimiters-at-ends-of-rows": (
            text(rows=[first]) + text(rows=others, last=";"),
            read("Delimiters at the ends of lines left out."),
        ),
        "delimiter-at-end-of-names": (
            text(rows=[first], last=";") + text(rows=others),
            read("Delimiters at the ends of lines left out."),
        ),
        "cells-beyond-the-names": (
            text(last=";").replace("77;", "77;hidden"),
            Expected(asks=["have no name"]),
        ),
        "footer": (body + "\n(3 rows affected)\n", read("1 line that is no row left out.")),
        "footer-of-two-lines": (
            body + "\nSource: a register\nMade on a day\n",
            read("2 lines that are no row left out."),
        ),
        "footer-without-empty-line": (body + "(3 rows affected)\n", Expected(asks=["is ragged", "row 5 has 1 cells"])),
        "ragged": (body + "Bonn;31\n", Expected(asks=["is ragged", "row 5 has 2 cells where the first line has 3"])),
        "empty-lines-within": (body.replace("Ulm", "\n\nUlm"), read()),
        "empty-rows-at-end": (
            body + ";;\n;;\n",
            Expected(KINDS, {"age": [31, 45, None, None, None]}, ["the last 2 rows are empty; they count as rows"]),
        ),
    }


def _quotes() -> dict[str, tuple[str | bytes, Expected]]:
    plain = 'name,remark\n"Doe, J","said ""hi"""\nRoe,"two\nlines"\n'
    values = {"name": ["Doe, J", "Roe"], "remark": ['said "hi"', "two\nlines"]}
    escaped = 'name,remark\n"Doe, J","said \\"hi\\", then left"\nRoe,"5\\" pipe"\n'
    slashes = {"name": ["Doe, J", "Roe"], "remark": ['said "hi", then left', '5" pipe']}
    american = 'town,income\nUlm,"1,023.50"\nBonn,"12"\nTrier,"1,234,567"\n'
    return {
        "quoted-delimiters-quotes-lines": (plain, Expected({}, values)),
        "quoted-windows-lines": (plain.replace("\n", "\r\n"), Expected({}, {"name": values["name"]})),
        "single-quotes": ("'town','income'\n'Ulm','1169,5'\n'Bonn','3,25'\n", Expected({}, {"income": [1169.5, 3.25]})),
        "backslashes": (escaped, Expected({}, slashes, ["Quotes inside cells are escaped by backslashes."])),
        "backslash-at-end": (
            'path,n\n"C:\\dir\\",1\n"D:\\",2\n',
            Expected({}, {"path": ["C:\\dir\\", "D:\\"], "n": [1, 2]}),
        ),
        "quoted-thousands": (american, Expected({"income": "number"}, {"income": [1023.5, 12, 1234567]}, ["2 cells"])),
        "every-cell-quoted": (text(rows=[[f'"{cell}"' for cell in row] for row in ROWS]), read()),
        "quotes-within": ('pipe;n\n5" wide;1\n7" wide;2\n', Expected({}, {"n": [1, 2]}, options={"quote": ""})),
        "quote-never-closed": ('a;b\n1;2\n3;"x\n4;5\n', Expected(asks=["is never closed"])),
        "one-column": (
            "income\n1200,5\n77\n",
            Expected({"income": "number"}, {"income": [1200.5, 77]}, options={"delimiter": ";"}),
        ),
        "names-given": ("31;1200,5\n45;77\n", Expected({}, {"b": [1200.5, 77]}, options={"names": ["a", "b"]})),
        "no-header": ("31;1200,5\n45;77\n", Expected({}, {"column2": [1200.5, 77]}, options={"header": False})),
    }
