# SPDX-License-Identifier: Apache-2.0
"""Tables with planted rare values, and a search for them in published files, in plain Python.

A value is rare if fewer than k persons have it. It may stand in no published byte of a quasi-identifier, except as a
border of an interval: between neighbouring whole numbers or days there is no other. A border of a column with decimals
or times is none of its rare values, and an interval that holds a single whole number or day holds no rare one.
"""

import datetime
import html
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from discreet import Roles
from instances import RARE

QUASI = ("zip", "town", "born", "seen", "pay", "salary")
ROLES = Roles(target="again", quasi=QUASI, sensitive=("ill",))
PERSON_ROLES = Roles(target="again", quasi=QUASI, sensitive=("ill",), person="who")


def planted(seed=0, n=120, k=5) -> pd.DataFrame:
    """Codes, towns, days, moments, decimals and whole numbers; of each some that k have, some that fewer do, and gaps.

    Each person has two rows in a row, alike or not, so that a value of k rows may be one of fewer persons.
    """
    rng = np.random.default_rng(seed)

    def column(common, rare, share):
        few = [value for value in rare for _ in range(int(rng.integers(1, k)))]
        cells = [*few, *rng.choice(np.array(common, dtype=object), max(n - len(few), 0))][:n]
        order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)  # side by side they are one person's
        cells = [cells[i] for i in order]
        return [None if rng.random() < share else cell for cell in cells]

    day = datetime.datetime(2020, 1, 1)
    days = [day + datetime.timedelta(days=int(d)) for d in rng.choice(700, 14, replace=False)]
    moments = [day + datetime.timedelta(minutes=int(m)) for m in rng.choice(900_000, 14, replace=False)]
    digits, wide = (1, 40) if rng.random() < 0.5 else (3, 4_000_000)  # near each other, or far apart
    decimals = [float(x) for x in np.round(1000 + rng.choice(wide, 24, replace=False) / 10**digits, digits)]
    wholes = [int(x) for x in rng.choice(60 if rng.random() < 0.5 else 600_000, 24, replace=False) + 310_000]
    gaps = rng.choice([0.0, 0.1, 0.4], 6)
    frame = pd.DataFrame(
        {
            "zip": pd.Series(column(["01067", "01069", "01097"], ["01065", "01109", "02625", "09111"], gaps[0])),
            "town": pd.Series(column(["North", "South", "East"], ["West", RARE], gaps[1])),
            "born": pd.to_datetime(pd.Series(column(days[:4], days[4:], gaps[2]))),
            "seen": pd.to_datetime(pd.Series(column(moments[:4], moments[4:], gaps[3]))),
            "pay": pd.Series(column(decimals[:5], decimals[5:], gaps[4]), dtype="float64"),
            "salary": pd.Series(column(wholes[:5], wholes[5:], gaps[5]), dtype="Int64"),
            "who": np.arange(n) // 2,
            "ill": rng.choice(["flu", "gout", "cold"], n),
        }
    )
    score = frame["pay"].fillna(2000) / 4000 + (frame["zip"] == "01067") + rng.random(n)
    return frame.assign(again=np.where(score > score.median(), "yes", "no"))


def rare_values(frame: pd.DataFrame, name: str, k: int, person: str | None) -> set:
    """The values of a column that fewer than k persons have; rows are persons where none are told apart."""
    persons = defaultdict(set)
    for row, value in enumerate(frame[name].tolist()):
        if not pd.isna(value):
            persons[value].add(row if person is None else frame[person].tolist()[row])
    return {value for value, whose in persons.items() if len(whose) < k}


NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
MOMENT = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?"
BORDER = rf"(?:{MOMENT}|{NUMBER})"
INTERVAL = re.compile(rf"\[({BORDER}), ({BORDER})\)|[<>]=? ({BORDER})(?![\w.])")
IN_RECORDS = re.compile(rf'"(?:from|below|cut)": (?:null|({NUMBER}))')


def published_text(folder: Path) -> str:
    """Everything that can be read in the folder; cells of Parquet files, and their metadata and statistics, too."""
    texts = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            texts += [str(column) for column in table.column_names]
            texts += [str(cell) for column in table.columns for cell in column.unique().to_pylist()]
            texts.append(path.read_bytes().decode("latin-1"))
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
    return html.unescape("\n".join(texts))


def texts_of(value) -> set[str]:
    """How a value may be written."""
    if isinstance(value, pd.Timestamp):
        day = str(value.date())
        return {str(value), *({day} if str(value.time()) == "00:00:00" else ())}
    return {str(value), repr(value)} if isinstance(value, float) else {str(value)}


def on_the_line(value) -> float:
    """A number, or the days since 1970-01-01."""
    if isinstance(value, (pd.Timestamp, datetime.datetime)):
        return (pd.Timestamp(value) - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)
    return float(value)


def border(text: str) -> float:
    return on_the_line(datetime.datetime.fromisoformat(text)) if re.fullmatch(MOMENT, text) else float(text)


def leaks(folder: Path, frame: pd.DataFrame, k: int, person: str | None = None, *, round_borders=False) -> list[str]:
    """What stands in published files that should not, in words; `round_borders` may be anything round."""
    text = published_text(folder)
    borders = {border(part) for found in INTERVAL.findall(text) for part in found if part}
    borders |= {float(found) for found in IN_RECORDS.findall(text) if found}
    pairs = {(border(low), border(high)) for low, high, _ in INTERVAL.findall(text) if low}
    rest = IN_RECORDS.sub(" ", INTERVAL.sub(" ", text))
    words = set(re.findall(r"[\w.:-]+", rest)) | set(re.findall(r"\w+", rest))
    words |= {word.strip(".:-") for word in words} | set(re.findall(MOMENT, rest))
    found = []
    for name in [name for name in QUASI if name in frame]:
        rare = rare_values(frame, name, k, person)
        for value in rare:
            if texts_of(value) & words:
                found.append(f"{name}: {value} is named")
            if not isinstance(value, str) and (on_the_line(value), on_the_line(value) + 1) in pairs:
                found.append(f"{name}: {value} is alone in an interval") if name in ("born", "salary") else None
            if name in ("seen", "pay") and on_the_line(value) in borders and not round_borders:
                found.append(f"{name}: {value} is a border")
    return found
