# SPDX-License-Identifier: Apache-2.0
"""Columns of one kind of text each: numbers, dates, questions that must be asked, and texts that must stay texts."""

from typing import Any

from corpus.case import Case, Expected, column

NUMBERS: dict[str, tuple[list[str], list[Any], str]] = {
    "plain": (["12", "7.5", "-3", "1e3"], [12, 7.5, -3, 1000], ""),
    "decimal-comma": (["1169,17", "980,5", "12"], [1169.17, 980.5, 12], "2 cells with a decimal comma"),
    "decimal-comma-dots": (["1.169,17", "980,5"], [1169.17, 980.5], "1 with a dot between thousands"),
    "decimal-comma-millions": (["1.234.567,5", "1.000.000"], [1234567.5, 1000000], "2 with a dot between thousands"),
    "decimal-comma-millions-only": (["1.234.567", "1.000"], [1234567, 1000], "2 cells with a dot between thousands"),
    "decimal-comma-below-one": (["0,125", "0,5"], [0.125, 0.5], "2 cells with a decimal comma"),
    "decimal-comma-no-zero": ([",5", "-,25"], [0.5, -0.25], "2 cells with a decimal comma"),
    "decimal-comma-power": (["1,5E+03", "2,5e-1"], [1500, 0.25], "2 cells with a decimal comma"),
    "decimal-comma-three-digits-and-zero": (["0,123", "1,023"], [0.123, 1.023], "2 cells with a decimal comma"),
    "decimal-comma-long-whole": (["1234,567", "1,023"], [1234.567, 1.023], "2 cells with a decimal comma"),
    "decimal-comma-descending": (["3,1", "1,2"], [3.1, 1.2], "2 cells with a decimal comma"),
    "decimal-comma-missing": (["3,1", "", "NA", "-", "1,25"], [3.1, None, None, None, 1.25], "2 cells"),
    "american-thousands": (["1,023.50", "12"], [1023.5, 12], "1 cell with a comma between thousands"),
    "american-millions": (["1,023,456", "1,023"], [1023456, 1023], "2 cells with a comma between thousands"),
    "american-thousands-and-plain": (["1,023.5", "7.25", "12"], [1023.5, 7.25, 12], "1 cell with a comma between"),
    "indian": (["1,23,456", "12,34,567.5"], [123456, 1234567.5], "2 cells with a comma between thousands"),
    "spaces": (["1 023", "12", "1 234 567"], [1023, 12, 1234567], "2 cells with a space between thousands"),
    "narrow-spaces": (["1\u202f023", "12,5"], [1023, 12.5], "1 with a space between thousands"),
    "no-break-spaces": (["1\u00a0023", "12"], [1023, 12], "1 cell with a space between thousands"),
    "thin-spaces": (["1\u2009023", "12"], [1023, 12], "1 cell with a space between thousands"),
    "apostrophes": (["1'023.5", "12"], [1023.5, 12], "1 cell with an apostrophe between thousands"),
    "curly-apostrophes": (["1\u2019023", "12"], [1023, 12], "1 cell with an apostrophe between thousands"),
    "real-minus": (["\u22125,5", "3,25"], [-5.5, 3.25], "2 cells with a decimal comma"),
    "plus": (["+5,5", "-3,25"], [5.5, -3.25], "2 cells with a decimal comma"),
    "percent": (["12%", "7.5%"], [12, 7.5], "2 cells with a percent sign, read as numbers (twelve percent is 12)"),
    "percent-space": (["12 %", "-3 %"], [12, -3], "2 cells with a percent sign"),
    "percent-no-break": (["12\u00a0%", "3\u00a0%"], [12, 3], "2 cells with a percent sign"),
    "percent-comma": (["12,5 %", "7 %"], [12.5, 7], "1 cell with a decimal comma, 2 with a percent sign"),
    "percent-before": (["%12", "%7"], [12, 7], "2 cells with a percent sign"),
    "euro-after": (["1.200,50 €", "7 €"], [1200.5, 7], "2 with the currency €"),
    "euro-before": (["€ 1.200,50", "€ 7"], [1200.5, 7], "2 with the currency €"),
    "euro-code": (["1200,50 EUR", "7,00 EUR"], [1200.5, 7], "2 with the currency EUR"),
    "dollar": (["$1,200.50", "-$7", "$-8"], [1200.5, -7, -8], "3 with the currency $"),
    "dollar-brackets": (["$1,200.50", "($7.00)"], [1200.5, -7], "1 with a minus after the digits, or brackets for it"),
    "pound": (["£1,200.50", "£7"], [1200.5, 7], "2 with the currency £"),
    "franc": (["CHF 1'200.50", "CHF 7"], [1200.5, 7], "2 with the currency CHF"),
    "crown": (["1 200,50 kr", "7,00 kr"], [1200.5, 7], "2 with the currency kr"),
    "yen": (["¥120", "¥7"], [120, 7], "2 cells with the currency ¥"),
    "rupee": (["₹ 1,20,000", "₹ 7"], [120000, 7], "2 with the currency ₹"),
    "minus-after": (["1.234,50-", "7,00"], [-1234.5, 7], "1 with a minus after the digits"),
    "lone-marks": (["5,5", ".", "..", "6,25"], [5.5, None, None, 6.25], "2 cells with a decimal comma"),
    "dots-of-three-digits": (["1.023", "2.456"], [1.023, 2.456], "it is read as the decimal mark"),
}

DATES: dict[str, tuple[list[str], list[Any], str]] = {
    "iso": (["2024-03-25", "1927-02-19"], ["2024-03-25", "1927-02-19"], ""),
    "german": (["19.02.1927", "03.04.2024"], ["1927-02-19", "2024-04-03"], "2 cells with a date with the day first"),
    "german-short": (["9.2.1927", "25.12.2024"], ["1927-02-09", "2024-12-25"], "with the day first"),
    "german-spaces": (["9. 2. 1927", "25. 12. 2024"], ["1927-02-09", "2024-12-25"], "with the day first"),
    "american": (
        ["03/25/2024", "04/03/2024"],
        ["2024-03-25", "2024-04-03"],
        "2 cells with a date with the month first",
    ),
    "american-short": (["3/25/2024", "4/3/2024"], ["2024-03-25", "2024-04-03"], "with the month first"),
    "british": (["25/03/2024", "04/03/2024"], ["2024-03-25", "2024-03-04"], "with the day first"),
    "dutch": (["25-03-2024", "04-03-2024"], ["2024-03-25", "2024-03-04"], "with the day first"),
    "american-dashes": (["03-25-2024", "04-03-2024"], ["2024-03-25", "2024-04-03"], "with the month first"),
    "japanese": (["2024/03/25", "2024/04/03"], ["2024-03-25", "2024-04-03"], "that can be read in one way only"),
    "hungarian": (["2024.03.25.", "2024.04.03."], ["2024-03-25", "2024-04-03"], "one way only"),
    "year-first-short": (["2024-3-25", "2024-4-3"], ["2024-03-25", "2024-04-03"], "one way only"),
    "same-in-both-orders": (["03/03/2024", "04/04/2024"], ["2024-03-03", "2024-04-04"], "2 cells with a date"),
    "english-name": (["25 Mar 2024", "1 December 2023"], ["2024-03-25", "2023-12-01"], "one way only"),
    "english-name-first": (["Mar 25, 2024", "December 1, 2023"], ["2024-03-25", "2023-12-01"], "one way only"),
    "english-ordinal": (["25th March 2024", "1st May 2023"], ["2024-03-25", "2023-05-01"], "one way only"),
    "english-dashes": (["25-Mar-2024", "01-DEC-2023"], ["2024-03-25", "2023-12-01"], "one way only"),
    "english-weekday": (["Monday, 25 March 2024", "Fri, 1 December 2023"], ["2024-03-25", "2023-12-01"], "one way"),
    "german-name": (["25. März 2024", "1. Dez. 2023"], ["2024-03-25", "2023-12-01"], "one way only"),
    "german-weekday": (["Montag, 25. März 2024", "Fr, 1. Mai 2020"], ["2024-03-25", "2020-05-01"], "one way only"),
    "austrian-name": (["5. Jänner 2024", "6. Feber 2024"], ["2024-01-05", "2024-02-06"], "one way only"),
    "french-name": (["25 mars 2024", "1er août 2021"], ["2024-03-25", "2021-08-01"], "one way only"),
    "french-short-name": (["25 févr. 2024", "2 déc. 2021"], ["2024-02-25", "2021-12-02"], "one way only"),
    "spanish-name": (["25 de marzo de 2024", "1 de enero de 2021"], ["2024-03-25", "2021-01-01"], "one way only"),
    "italian-name": (["25 marzo 2024", "1 gennaio 2021"], ["2024-03-25", "2021-01-01"], "one way only"),
    "dutch-name": (["25 maart 2024", "1 mei 2021"], ["2024-03-25", "2021-05-01"], "one way only"),
    "portuguese-name": (["25 de março de 2024", "1 de outubro de 2021"], ["2024-03-25", "2021-10-01"], "one way"),
    "year-name": (["2024-Mar-25", "2021-Oct-01"], ["2024-03-25", "2021-10-01"], "one way only"),
    "with-time": (["25.03.2024 14:30", "3.4.2024 7:05"], ["2024-03-25 14:30:00", "2024-04-03 07:05:00"], "day first"),
    "with-seconds": (
        ["25/03/2024 14:30:15", "03/04/2024 00:00:00"],
        ["2024-03-25 14:30:15", "2024-04-03 00:00:00"],
        "day first",
    ),
    "with-half-days": (
        ["3/25/2024 2:30 PM", "3/4/2024 12:05 AM"],
        ["2024-03-25 14:30:00", "2024-03-04 00:05:00"],
        "month",
    ),
    "with-clock-word": (
        ["25.03.2024, 14:30 Uhr", "26.03.2024, 7:00 Uhr"],
        ["2024-03-25 14:30:00", "2024-03-26 07:00:00"],
        "day",
    ),
    "with-t": (
        ["2024/03/25T14:30:00", "2024/03/26T07:00:00"],
        ["2024-03-25 14:30:00", "2024-03-26 07:00:00"],
        "one way",
    ),
    "leap-day": (["29.02.2024", "01.03.2024"], ["2024-02-29", "2024-03-01"], "with the day first"),
    "iso-and-german": (["2024-03-25", "25.03.2024"], ["2024-03-25", "2024-03-25"], "with the day first"),
    "names-and-numbers": (["25 Mar 2024", "26.03.2024"], ["2024-03-25", "2024-03-26"], "with the day first"),
    "missing": (
        ["25.03.2024", "", "NULL", "-"],
        ["2024-03-25", None, None, None],
        "1 cell with a date with the day first",
    ),
}

STAY: dict[str, list[str]] = {  # categories
    "post-codes": ["01067", "10115", "99999"],
    "post-codes-swedish": ["123 45", "543 21"],
    "lists-of-codes": ["1,2,3", "1,2", "4"],
    "lists-of-four": ["1,2,3,4", "2,3,4,5"],
    "lists-with-spaces": ["1, 2", "3, 4"],
    "telephones": ["0.512.33", "0.512.34"],
    "telephones-dashed": ["555-1234", "555-9876"],
    "telephones-groups": ["555 123", "555 987"],
    "numbers-of-firms": ["732 829 320", "443 061 841"],
    "accounts-dotted": ["123.456.789", "987.654.321"],
    "addresses": ["192.168.1.1", "10.0.0.7"],
    "addresses-of-three-digits": ["192.168.100.100", "172.100.200.100"],
    "versions": ["1.2.10", "1.10.3"],
    "sections": ["1.1.1", "12.3.4"],
    "marks-of-schools": ["2-", "3+", "1"],
    "marks-minus": ["1", "2-", "3-"],
    "footnotes": ["(1)", "(2)"],
    "uncertain-in-brackets": ["5", "(7)", "9"],
    "two-currencies": ["5 €", "7 $"],
    "some-with-percent": ["12%", "0.3", "7%"],
    "some-with-currency": ["5 €", "7"],
    "sizes": ["5 kg", "7 kg"],
    "ranges": ["10-20", "20-30"],
    "school-years": ["2010-11", "2011-12", "2009-10"],
    "months": ["2024-03", "2023-01"],
    "weeks": ["2024-W12", "2024-W13"],
    "quarters": ["2024-Q1", "2024-Q2"],
    "no-such-day": ["31.02.2024", "25.03.2024"],
    "both-orders": ["25/03/2024", "03/25/2024"],
    "mixed-marks": ["25/03/2024", "26.03.2024"],
    "clock": ["14:30", "07:05"],
    "ratios": ["1:2", "3:4"],
    "fractions": ["1/2", "3/4"],
    "long-digits": ["12345678901234567890", "12345678901234567891"],
    "long-digits-marked": ["12.345.678.901.234.567.890", "12.345.678.901.234.567.891"],
    "ungrouped": ["12,34,56", "1,2345"],
    "words-with-months": ["mayor", "marzipan"],
    "social-security": ["123-45-6789", "987-65-4321"],
    "codes-of-illness": ["250.83", "V27", "E909"],
    "hexadecimal": ["1e", "2f"],
    "coordinates": ["48.1,11.5", "52.5,13.4"],
}

ASKED: dict[str, tuple[list[str], list[str], list[tuple[dict[str, Any], list[Any]]]]] = {  # questions and answers
    "comma-of-three-digits": (
        ["1,023", "2,456"],
        ["two ways", "decimal={'x': ','} (--decimal x=,)", "decimal={'x': '.'} (--decimal x=.)"],
        [
            ({"decimal": ","}, [1.023, 2.456]),
            ({"thousands": ","}, [1023, 2456]),
            ({"decimal": {"x": "."}}, [1023, 2456]),
        ],
    ),
    "comma-of-three-digits-and-whole": (
        ["1,023", "12", "999"],
        ["the comma is the decimal mark", "the comma stands between thousands"],
        [({"decimal": "comma"}, [1.023, 12, 999]), ({"thousands": "none"}, [1.023, 12, 999])],
    ),
    "comma-and-dot-of-three-digits": (
        ["1,023", "1.023"],
        ["which give different numbers"],
        [({"decimal": ","}, [1.023, 1023]), ({"decimal": "."}, [1023, 1.023])],
    ),
    "currency-of-three-digits": (
        ["1,023 €", "2,456 €"],
        ["which give different numbers"],
        [({"decimal": ","}, [1.023, 2.456]), ({"decimal": "."}, [1023, 2456])],
    ),
    "percent-of-three-digits": (["1,023%", "2,456%"], ["different numbers"], [({"decimal": ","}, [1.023, 2.456])]),
    "days-and-months": (
        ["03/04/2024", "05/06/2024"],
        [
            "all 2 cells can be read in two ways",
            "date_format={'x': 'day-first'} (--date-format x=day-first)",
            "month-first",
        ],
        [
            ({"date_format": "day-first"}, ["2024-04-03", "2024-06-05"]),
            ({"date_format": {"x": "month-first"}}, ["2024-03-04", "2024-05-06"]),
            ({"date_format": "%m/%d/%Y"}, ["2024-03-04", "2024-05-06"]),
            ({"date_format": "DD/MM/YYYY"}, ["2024-04-03", "2024-06-05"]),
        ],
    ),
    "days-and-months-dots": (
        ["03.04.2024", "05.06.2024"],
        ["two ways"],
        [({"date_format": "day-first"}, ["2024-04-03", "2024-06-05"])],
    ),
    "days-and-months-times": (
        ["03/04/2024 14:30", "05/06/2024 07:00"],
        ["two ways"],
        [({"date_format": "month-first"}, ["2024-03-04 14:30:00", "2024-05-06 07:00:00"])],
    ),
    "short-years": (
        ["25.03.24", "26.03.45"],
        ["the years have two digits", "day-first from 1930"],
        [
            ({"date_format": "day-first from 1930"}, ["2024-03-25", "1945-03-26"]),
            ({"date_format": "%d.%m.%y from 1930"}, ["2024-03-25", "1945-03-26"]),
            ({"date_format": "DD.MM.YY"}, ["2024-03-25", "2045-03-26"]),
        ],
    ),
    "short-years-american": (
        ["3/25/24", "4/26/99"],
        ["month-first from 1930"],
        [({"date_format": "month-first from 1930"}, ["2024-03-25", "1999-04-26"])],
    ),
    "short-years-names": (
        ["25-Mar-24", "26-Apr-99"],
        ["two digits"],
        [({"date_format": "%d-%b-%y"}, ["2024-03-25", "1999-04-26"])],
    ),
}


def families_of_columns() -> list[Case]:
    cases = []
    for name, (cells, values, said) in NUMBERS.items():
        cases.append(column(f"number-{name}", cells, Expected({"x": "number"}, {"x": values}, [said] if said else [])))
    for name, (cells, values, said) in DATES.items():
        cases.append(column(f"date-{name}", cells, Expected({"x": "date"}, {"x": values}, [said] if said else [])))
    for name, cells in STAY.items():
        cases.append(column(f"text-{name}", cells, Expected({"x": "category"}, {"x": cells})))
    for name, (cells, asks, answers) in ASKED.items():
        cases.append(column(f"asked-{name}", cells, Expected(asks=["Column 'x'", *asks])))
        for place, (options, values) in enumerate(answers):
            expected = Expected(values={"x": values}, options=options)
            cases.append(column(f"answered-{name}-{place}", cells, expected))
    return [*cases, *_by_delimiter(), *_declared()]


def _by_delimiter() -> list[Case]:
    """What 1,2 is depends on the file: semicolons are used where the comma is the decimal mark."""
    pairs = ["1,2", "2,5", "3"]
    asks = Expected(asks=["decimal={'x': ','}", "kinds={'x': 'category'} (--kind x=category)", "lists of codes"])
    lists = Expected({"x": "category"}, {"x": pairs}, options={"kinds": {"x": "category"}})
    evidence = b'x,y\n"1,023","7,5"\n"2,456","9,25"\n'
    dots = b"x;y\n1.023;7,5\n2.456;9,25\n"
    first = b"born;seen\n03/04/2024;25/03/2024\n05/06/2024;26/03/2024\n"
    return [
        column(
            "pairs-semicolon", pairs, Expected({"x": "number"}, {"x": [1.2, 2.5, 3]}, ["2 cells with a decimal comma"])
        ),
        column("pairs-comma", pairs, asks, delimiter=","),
        column("pairs-comma-lists", pairs, lists, delimiter=","),
        column(
            "pairs-comma-decimals",
            pairs,
            Expected(values={"x": [1.2, 2.5, 3]}, options={"decimal": ","}),
            delimiter=",",
        ),
        column("quoted-decimals", ["1169,17", "3,1"], Expected({"x": "number"}, {"x": [1169.17, 3.1]}), delimiter=","),
        Case(
            "evidence-comma.csv", evidence, Expected(asks=["Column 'x'", "Column 'y' has a decimal comma for certain"])
        ),
        Case("evidence-dots.csv", dots, Expected(asks=["Column 'x'", "Column 'y' has a decimal comma for certain"])),
        Case(
            "evidence-dots-said.csv",
            dots,
            Expected(values={"x": [1023, 2456], "y": [7.5, 9.25]}, options={"decimal": ","}),
        ),
        Case(
            "evidence-dates.csv", first, Expected(asks=["Column 'born'", "Column 'seen' has dates with the day first"])
        ),
        Case(
            "evidence-dates-said.csv",
            first,
            Expected(values={"born": ["2024-04-03", "2024-06-05"]}, options={"date_format": "day-first"}),
        ),
    ]


def _declared() -> list[Case]:
    """Kinds that the owner declares."""
    digits, months, weeks = ["20240325", "20231201"], ["2024-03", "2023-01"], ["2024-W12", "2024-W13"]
    return [
        column("digits-are-numbers", digits, Expected({"x": "number"}, {"x": [20240325, 20231201]})),
        column("digits-declared-dates", digits, _as("date", ["2024-03-25", "2023-12-01"])),
        column(
            "digits-with-a-format",
            digits,
            Expected({"x": "date"}, {"x": ["2024-03-25", "2023-12-01"]}, options={"date_format": {"x": "%Y%m%d"}}),
        ),
        column("months-declared-dates", months, _as("date", ["2024-03-01", "2023-01-01"])),
        column(
            "months-said",
            months,
            Expected({"x": "category"}, {"x": months}, ["2 cells with a month, read as categories"]),
        ),
        column("weeks-declared-dates", weeks, _as("date", ["2024-03-18", "2024-03-25"])),
        column("brackets-declared-numbers", ["5", "(7)"], _as("number", [5, -7])),
        column("post-codes-declared-numbers", ["01067", "10115"], _as("number", [1067, 10115])),
        column(
            "dates-declared-categories", ["25.03.2024", "26.03.2024"], _as("category", ["25.03.2024", "26.03.2024"])
        ),
        column(
            "unreadable-number",
            ["5", "many"],
            Expected(asks=["declared a number", "1 of its 2 distinct values"], options={"kinds": {"x": "number"}}),
        ),
        column(
            "unfit-format",
            ["25.03.2024", "soon"],
            Expected(asks=["is to be read as day-first", "1 of its 2"], options={"date_format": {"x": "day-first"}}),
        ),
        column(
            "mostly-numbers",
            ["1", "2", "3", "4", "5", "6", "7", "8", "9", "many"],
            Expected({"x": "category"}, {}, ["9 of 10 cells look like numbers"]),
        ),
    ]


def _as(kind: str, values: list[Any]) -> Expected:
    return Expected({"x": kind}, {"x": values}, options={"kinds": {"x": kind}})
