# SPDX-License-Identifier: Apache-2.0
"""The clinic: made-up people and their stays in hospital, as many as wanted.

Nothing here is drawn from real records. What depends on what is written down below, so that a test can tell how much
a release kept: who is readmitted depends on age, sex, diagnosis, length of stay, occupation and marital status.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.foundation.randomness import Randomness, RandomState
from discreet.samples.sample import Sample, real, whole

MOST_ROWS = 10_000_000
YOUNGEST, OLDEST = 18, 95
SEXES = ("female", "male")

_FEMALE = """Ada Agnes Alice Amina Anna Aylin Beatrice Carla Carmen Charlotte Clara Daisy Diana Edith Elena Elif Ella
Emma Esther Eva Fatima Flora Frieda Greta Hanna Helen Ida Ines Irene Iris Jana Jasmin Joan Julia Karin Katja Laila
Laura Lea Lena Lina Louise Lucy Maja Maria Marta Mei Mila Mina Nadia Nina Nora Olga Paula Petra Rosa Ruth Sara Selma
Sofia Susan Tanja Theresa Vera Yara Zoe"""
_MALE = """Adam Ahmed Albert Alex Ali Anton Arthur Ben Boris Bruno Carl Carlos Cem Dario David Diego Edgar Elias Emil
Erik Felix Finn Frank Fred George Hans Henry Hugo Ivan Jakob Jan Jim Jonas Jorge Joseph Karl Kemal Lars Leo Liam Louis
Luca Marco Martin Max Miguel Mohammed Nils Noah Omar Oscar Otto Pablo Paul Peter Rafael Ravi Robert Sam Simon Stefan
Theo Tom Victor Wei Yusuf"""
_FAMILY = """Adams Ahrens Ali Almeida Andersen Baker Bauer Becker Bell Berg Bianchi Blum Bosch Braun Brown Carter Castro
Chen Clark Costa Cruz Dahl Davis Demir Diaz Dietz Dubois Ebner Edwards Evans Ferrari Fischer Fontana Foster Frank Fuchs
Garcia Gomez Graf Gray Green Haas Hall Hansen Harris Hoffmann Huber Ibrahim Ivanov Jackson Jansen Jones Kaya Keller
Khan Klein Koch Kowalski Krause Kumar Lang Larsen Lee Lopez Lorenz Marino Martin Mayer Meyer Miller Moore Moreau Moser
Nagy Neumann Nguyen Novak Olsen Ortiz Otto Park Patel Perez Peters Popov Quinn Ramos Reed Richter Rivera Roth Russo
Sanchez Santos Schmidt Schulz Silva Singh Smith Sommer Stein Suzuki Tanaka Taylor Thomas Torres Turner Vogel Wagner
Walker Wang Weber White Wilson Winter Wolf Wong Wood Yilmaz Young Ziegler Zimmer"""
_FIRST, _LAST, _MIDDLE = (_FEMALE.split(), _MALE.split()), _FAMILY.split(), "ABCDEFGHIJKLMNOPRSTUVW"

_AREAS = ("010", "021", "036", "101", "104", "192", "330", "486", "606", "750", "891", "982")  # first three digits
_ENDINGS = ("02", "09", "14", "27", "33", "58")

OCCUPATIONS = (
    "builder", "carer", "clerk", "cook", "driver", "engineer", "farmer", "nurse", "retired", "seller", "student",
    "teacher", "unemployed",
)  # fmt: skip
MARITAL = ("divorced", "married", "single", "widowed")

# diagnosis: how common it is at 55, how much more so per 20 years of age, how much more so in women (log scale)
DIAGNOSES = {
    "HIV": (-1.9, -0.9, -0.8),
    "cancer": (-0.5, 0.5, 0.1),
    "depression": (-0.4, -0.7, 0.6),
    "diabetes": (0.0, 0.3, -0.2),
    "fracture": (-0.4, 0.5, 0.5),
    "gallstones": (-0.6, -0.1, 0.8),
    "heart failure": (-0.4, 1.3, -0.3),
    "pneumonia": (0.0, 0.4, 0.0),
}
_DAYS = {"HIV": 5.0, "cancer": 8.0, "depression": 11.0, "diabetes": 4.0, "fracture": 6.5, "gallstones": 2.5,
         "heart failure": 6.0, "pneumonia": 5.0}  # fmt: skip
_FIRST_DAY, _N_DAYS = np.datetime64("2023-01-01"), 365

# What makes a readmission likely, on the log-odds scale.
_BASE = -2.75
_OF_DIAGNOSIS = {"HIV": 0.9, "cancer": 1.1, "depression": 0.8, "diabetes": 0.3, "fracture": -1.2, "gallstones": -2.0,
                 "heart failure": 1.5, "pneumonia": -0.4}  # fmt: skip
_OF_OCCUPATION = {"builder": 1.1, "carer": 0.5, "driver": 0.7, "farmer": 0.7, "unemployed": 1.5, "retired": 0.5,
                  "teacher": -0.8, "engineer": -0.9, "clerk": -0.5, "student": -0.6}  # fmt: skip
_OF_MARITAL = {"divorced": 0.9, "married": -0.5, "single": 0.4, "widowed": 1.0}


def clinic(rows: int = 2000, random_state: RandomState = 0, *, repeat: float = 0.0) -> Sample:
    """Made-up hospital stays; will the patient be readmitted?

    Parameters
    ----------
    rows : stays, 1 to 10 million
    random_state : the same number gives the same table; None draws a new one each time
    repeat : share of the stays that belong to a patient who is already in the table

    Notes
    -----
    Columns: patient_id, name, age (18 to 95), sex, zip (text; some begin with a zero), occupation (3 % missing),
    marital (2 % missing), admitted (a day of 2023), diagnosis (8, depending on age and sex), stay_days, readmitted.
    `readmitted` is drawn from a logistic model of age, sex, diagnosis, stay_days, occupation and marital status: about
    62 % are not readmitted, and a good classifier is right in nearly 80 % of the cases. With `repeat`, a person's
    rows share everything up to `marital`; `patient_id` is then the person, whom k counts instead of rows.

    `admitted` is a quasi-identifier: neighbours and employers know when someone was away. `stay_days` is not
    (role `other`): few outsiders know the day of discharge.

    Examples
    --------
    >>> sample = clinic(500)
    >>> len(sample.data), sample.roles.target, sample.roles.sensitive, sample.roles.identifiers
    (500, 'readmitted', ('diagnosis',), ('patient_id', 'name'))
    >>> clinic(500, repeat=0.2).data.column("patient_id").levels
    400
    """
    rows = whole("clinic", "rows", rows, 1, MOST_ROWS)
    repeat = real("clinic", "repeat", repeat, 0, 1)
    rng = Randomness(random_state).numpy()
    persons = max(1, rows - int(rows * repeat))
    people = _people(persons, rng)
    if persons == rows:
        who: slice | np.ndarray = slice(None)
    else:  # every person once, then some again, in random order
        who = rng.permutation(np.concatenate([np.arange(persons), rng.integers(persons, size=rows - persons)]))
    stays = _stays({name: column[who] for name, column in people.items()}, rng)
    arrays = {
        "patient_id": pa.array(people["patient_id"][who]),
        "name": _names(people["name"], who),
        "age": pa.array(people["age"][who].astype(np.int64)),
        "sex": _text(people["sex"][who], SEXES),
        "zip": _text(people["zip"][who], [area + ending for area in _AREAS for ending in _ENDINGS]),
        "occupation": _text(people["occupation"][who], OCCUPATIONS, missing=people["no_occupation"][who]),
        "marital": _text(people["marital"][who], MARITAL, missing=people["no_marital"][who]),
        "admitted": pa.array(_FIRST_DAY + stays["day"].astype("timedelta64[D]")),
        "diagnosis": _text(stays["diagnosis"], list(DIAGNOSES)),
        "stay_days": pa.array(stays["stay_days"].astype(np.int64)),
        "readmitted": _text(stays["readmitted"], ("no", "yes")),
    }
    return Sample(
        "clinic",
        Table.of(pa.table(arrays), kinds={"zip": "category"}),
        _roles(one_row_each=persons == rows),
        description="Made-up people and their hospital stays; will the patient be readmitted?",
        source="generated by discreet; no real person is in it",
        licence="free to use",
    )


def _roles(*, one_row_each: bool) -> Roles:
    return Roles(
        target="readmitted",
        quasi=("age", "sex", "zip", "occupation", "marital", "admitted"),
        sensitive=("diagnosis",),
        identifiers=("patient_id", "name") if one_row_each else ("name",),
        other=("stay_days",),
        person=None if one_row_each else "patient_id",
    )


def _people(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """What does not change from one stay to the next, as small codes."""
    years = OLDEST - YOUNGEST + 1
    age = (YOUNGEST + np.floor(years * rng.beta(1.9, 1.5, n))).clip(YOUNGEST, OLDEST).astype(np.int16)
    sex = (rng.random(n) < 0.48).astype(np.int8)
    ages = np.arange(YOUNGEST, OLDEST + 1)
    weight = np.linspace(3, 1, len(_AREAS) * len(_ENDINGS)) ** 1.5  # some places are larger than others
    return {
        "patient_id": 10_000_000 + rng.permutation(n),
        "name": rng.integers(min(map(len, _FIRST)) * len(_MIDDLE) * len(_LAST), size=n) * 2 + sex,
        "age": age,
        "sex": sex,
        "zip": np.searchsorted(np.cumsum(weight / weight.sum())[:-1], rng.random(n), side="right").astype(np.int8),
        "occupation": _draw(_occupation_odds(ages), age - YOUNGEST, rng),
        "marital": _draw(_marital_odds(ages), age - YOUNGEST, rng),
        "no_occupation": rng.random(n) < 0.03,
        "no_marital": rng.random(n) < 0.02,
    }


def _stays(people: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """What happened in each stay, given whose it was."""
    age, sex, n = people["age"], people["sex"], len(people["age"])
    decades = (np.arange(YOUNGEST, OLDEST + 1) - 55) / 20
    logits = np.array([[[a + b * t + c * (s == 0) for a, b, c in DIAGNOSES.values()] for t in decades] for s in (0, 1)])
    odds = np.exp(logits).reshape(-1, len(DIAGNOSES))
    diagnosis = _draw(odds, sex.astype(np.int64) * len(decades) + (age - YOUNGEST), rng)
    mean_stay = np.array([_DAYS[d] for d in DIAGNOSES])[diagnosis] * (1 + (age - 55) / 150)
    stay = np.minimum(1 + rng.poisson(rng.gamma(1.6, mean_stay / 1.6)), 60)
    log_odds = _BASE + _of(_OF_DIAGNOSIS, DIAGNOSES)[diagnosis]
    log_odds += _of(_OF_OCCUPATION, OCCUPATIONS)[people["occupation"]] + _of(_OF_MARITAL, MARITAL)[people["marital"]]
    log_odds += 0.03 * (age - 55) + 1.0 * (age >= 75) + 0.12 * np.minimum(stay, 21) + 0.4 * (sex == 1)
    return {
        "day": rng.integers(_N_DAYS, size=n),
        "diagnosis": diagnosis,
        "stay_days": stay,
        "readmitted": (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(np.int8),
    }


def _occupation_odds(ages: np.ndarray) -> np.ndarray:
    odds = np.tile(np.array([8, 7, 14, 6, 8, 9, 3, 8, 0, 12, 0, 8, 9], dtype=float), (len(ages), 1))
    odds[:, OCCUPATIONS.index("student")] = 120 * np.exp(-((ages - 18) / 5.0))
    odds[:, OCCUPATIONS.index("retired")] = 92 / (1 + np.exp(-(ages - 63) / 1.5)) * 12
    return odds


def _marital_odds(ages: np.ndarray) -> np.ndarray:
    t = (ages - 18) / 77.0
    return np.stack([0.25 * t, 0.05 + 1.4 * t * (1 - 0.6 * t), 1.2 * np.exp(-4 * t) + 0.05, 0.9 * t**4], axis=1)


def _draw(odds: np.ndarray, cell: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One category per row, with the odds of the row's cell; one pass per category keeps the memory small."""
    upto = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    u, code = rng.random(len(cell)), np.zeros(len(cell), dtype=np.int8)
    for category in range(odds.shape[1] - 1):
        code += u >= upto[cell, category]
    return code


def _of(effect: dict[str, float], labels: Any) -> np.ndarray:
    return np.array([effect.get(label, 0.0) for label in labels])


def _text(codes: np.ndarray, labels: Any, *, missing: np.ndarray | None = None) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=missing), pa.array(list(labels)))


def _names(numbers: np.ndarray, who: Any) -> pa.Array:
    """Full names from their numbers: only those that occur are spelt out."""
    used, place = np.unique(numbers, return_inverse=True)
    rest, is_male = np.divmod(used, 2)
    rest, last = np.divmod(rest, len(_LAST))
    first, middle = np.divmod(rest, len(_MIDDLE))
    spelt = [
        f"{_FIRST[m][f]} {_MIDDLE[i]}. {_LAST[s]}"
        for m, f, i, s in zip(is_male.tolist(), first.tolist(), middle.tolist(), last.tolist(), strict=True)
    ]
    return pa.DictionaryArray.from_arrays(pa.array(place[who].astype(np.int32)), pa.array(spelt))
