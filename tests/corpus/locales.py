# SPDX-License-Identifier: Apache-2.0
"""Tables of people as programs of many countries write them: every column decides by itself how it is read."""

import datetime as dt
import random
from dataclasses import dataclass

from corpus.case import Case, Expected, quoted

NARROW, NO_BREAK = "\u202f", "\u00a0"


@dataclass(frozen=True)
class Locale:
    decimal: str
    thousands: str
    date: str
    money: str
    delimiter: str = ";"
    encoding: str = "utf-8"
    percent: str = "{} %"
    end: str = "\r\n"


LOCALES = {
    "german": Locale(",", ".", "%d.%m.%Y", "{} €", encoding="cp1252"),
    "german-excel-utf8": Locale(",", ".", "%d.%m.%Y", "{} €", encoding="utf-8-sig"),
    "austrian": Locale(",", ".", "%d.%m.%Y", "€ {}"),
    "swiss": Locale(".", "'", "%d.%m.%Y", "CHF {}", percent="{}%"),
    "swiss-curly": Locale(".", "\u2019", "%d.%m.%Y", "Fr. {}", percent="{}%"),
    "french": Locale(",", NARROW, "%d/%m/%Y", "{} €", percent=f"{{}}{NARROW}%"),
    "french-no-break": Locale(",", NO_BREAK, "%d/%m/%Y", f"{{}}{NO_BREAK}€", encoding="cp1252"),
    "spanish": Locale(",", ".", "%d/%m/%Y", "{} EUR", encoding="latin-1", percent="{}%"),
    "italian": Locale(",", ".", "%d/%m/%Y", "€ {}", percent="{}%"),
    "dutch": Locale(",", ".", "%d-%m-%Y", "€ {}", percent="{}%"),
    "polish": Locale(",", NO_BREAK, "%d.%m.%Y", "{} zł", percent="{}%"),
    "czech": Locale(",", " ", "%d. %m. %Y", "{} Kč"),
    "swedish": Locale(",", " ", "%Y-%m-%d", "{} kr", delimiter="\t"),
    "norwegian": Locale(",", " ", "%d.%m.%Y", "kr {}", delimiter="\t"),
    "danish": Locale(",", ".", "%d-%m-%Y", "{} kr."),
    "hungarian": Locale(",", " ", "%Y.%m.%d.", "{} Ft", percent="{}%"),
    "turkish": Locale(",", ".", "%d.%m.%Y", "{} TRY", percent="%{}"),
    "russian": Locale(",", NO_BREAK, "%d.%m.%Y", "{} ₽", delimiter="\t"),
    "american": Locale(".", ",", "%m/%d/%Y", "${}", delimiter=",", percent="{}%"),
    "american-pipes": Locale(".", ",", "%m/%d/%Y", "$ {}", delimiter="|", percent="{}%", end="\n"),
    "american-macintosh": Locale(".", ",", "%m/%d/%Y", "US${}", delimiter="\t", percent="{}%", end="\r"),
    "british": Locale(".", ",", "%d/%m/%Y", "£{}", delimiter=",", percent="{}%"),
    "british-utf16": Locale(".", ",", "%d/%m/%Y", "£{}", delimiter="\t", encoding="utf-16", percent="{}%"),
    "indian": Locale(".", "lakh", "%d-%m-%Y", "₹ {}", delimiter=",", percent="{}%"),
    "japanese": Locale(".", ",", "%Y/%m/%d", "¥{}", delimiter=",", percent="{}%"),
    "brazilian": Locale(",", ".", "%d/%m/%Y", "R$ {}", percent="{}%"),
    "canadian-french": Locale(",", NO_BREAK, "%Y/%m/%d", "{} CAD"),
    "south-african": Locale(",", " ", "%Y/%m/%d", "{} ZAR", percent="{}%"),
}


def families_of_locales(seed: int = 19) -> list[Case]:
    return [_file(name, locale, random.Random(f"{seed} {name}")) for name, locale in LOCALES.items()]


def _file(name: str, locale: Locale, draw: random.Random) -> Case:
    n = 40
    income = [round(draw.uniform(500, 99_999), 2) for _ in range(n)]
    paid = [draw.choice((-1, 1)) * draw.randint(1, 9_999_999) for _ in range(n)]
    share = [round(draw.uniform(0, 100), 1) for _ in range(n)]
    born = [dt.date(1920, 1, 1) + dt.timedelta(days=draw.randint(0, 36_000)) for _ in range(n)]
    columns = {
        "income": [number(one, locale, places=2) for one in income],
        "paid": [("-" if one < 0 else "") + grouped(abs(one), locale.thousands) for one in paid],
        "share": [locale.percent.format(number(one, locale, places=1)) for one in share],
        "price": [locale.money.format(number(one, locale, places=2)) for one in income],
        "born": [one.strftime(locale.date) for one in born],
        "seen": [f"{one.strftime(locale.date)} {hour:02}:{7 * hour % 60:02}" for hour, one in enumerate(born[:24])],
        "code": [f"{draw.randint(1, 99_999):05}" for _ in range(n)],
        "class": [draw.choice(("yes", "no")) for _ in range(n)],
    }
    columns["seen"] += [""] * (n - 24)
    columns["code"][0] = "01067"
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    text = locale.end.join(locale.delimiter.join(quoted(cell, locale.delimiter) for cell in row) for row in rows)
    values = {
        "income": income,
        "paid": paid,
        "share": share,
        "price": income,
        "born": [one.isoformat() for one in born],
        "seen": [f"{one.isoformat()} {hour:02}:{7 * hour % 60:02}:00" for hour, one in enumerate(born[:24])]
        + [None] * (n - 24),
        "code": columns["code"],
    }
    kinds = {"income": "number", "paid": "number", "share": "number", "price": "number"}
    kinds |= {"born": "date", "seen": "date", "code": "category", "class": "category"}
    said = ["with a percent sign, read as numbers", "with the currency"]
    said += ["cells with a decimal comma"] if locale.decimal == "," else []
    content = (text + locale.end).encode(locale.encoding)
    return Case(f"locale-{name}.csv", content, Expected(kinds, values, said))


def number(value: float, locale: Locale, *, places: int) -> str:
    whole, _, fraction = f"{value:.{places}f}".partition(".")
    return grouped(int(whole), locale.thousands) + locale.decimal + fraction


def grouped(whole: int, mark: str) -> str:
    if mark != "lakh":
        return f"{whole:,}".replace(",", mark)
    text = str(whole)
    head, tail = text[:-3], text[-3:]
    parts = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)][::-1]
    return ",".join([*parts, tail])
