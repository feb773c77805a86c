# SPDX-License-Identifier: Apache-2.0
"""Identifiers are told by their content, with check digits; what is none is not called one."""

import datetime
from pathlib import Path

import numpy as np
import pytest

from discreet import samples
from discreet.data.identifiers import likely_identifier, words_of_names
from discreet.data.identifiers_numbers import NUMBERS, compact, luhn
from discreet.data.table import Table

FORMS = {form.title: form for form in NUMBERS}
# Examples that offices and standards publish; none belongs to a person.
PUBLISHED = {
    "US social security numbers": ["078-05-1120", "219-09-9999"],
    "German tax numbers": ["86095742719", "65929970489", "57 549 285 017"],
    "German pension insurance numbers": ["65170839J003", "15 070649 C 103"],
    "French social security numbers": ["2 95 10 99 126 111 93", "253072B07300470"],
    "Italian tax codes": ["RSSMRA85T10A562S", "RCCMNL83S18D969H"],
    "Spanish identity numbers": ["12345678Z", "54362315-K", "X2482300W"],
    "Norwegian personal numbers": ["15108695088"],
    "Polish personal numbers": ["44051401359", "02070803628"],
    "Brazilian taxpayer numbers": ["390.533.447-05"],
    "Turkish identity numbers": ["17291716060", "10000000146"],
    "Belgian national numbers": ["85.07.30-033.28", "17073003384"],
    "Greek social security numbers": ["01013099997"],
    "Swedish personal numbers": ["880320-0016", "19811228-9874"],
    "Finnish personal numbers": ["131052-308T"],
    "Austrian social insurance numbers": ["1237 010180"],
    "Czech or Slovak birth numbers": ["710319/2745"],
    "NHS numbers": ["943 476 5870", "4010232137"],
    "Danish personal numbers": ["211062-5629"],
    "Dutch citizen service numbers": ["111222333", "123456782"],
    "Portuguese tax numbers": ["501964843"],
    "Canadian social insurance numbers": ["123-456-782"],
    "British national insurance numbers": ["AB 12 34 56 C"],
    "Irish PPS numbers": ["6433435F"],
    "Swiss social insurance numbers": ["756.9217.0769.85"],
    "Romanian personal numbers": ["1630615123457"],
    "South African identity numbers": ["7503305044089"],
    "Chinese identity numbers": ["11010519491231002X", "360426199101010071"],
    "Mexican population registry codes": ["BOXW310820HNERXN09"],
    "bank accounts (IBAN)": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    "payment cards": ["4111 1111 1111 1111", "378282246310005"],
    "device numbers (IMEI)": ["490154203237518"],
}


def found(cells, name="x"):
    return likely_identifier(Table.of({name: cells}).column(name))


@pytest.mark.parametrize("title", FORMS)
def test_published_examples_fit_and_a_wrong_check_digit_does_not(title):
    form = FORMS[title]
    for text in PUBLISHED[title]:
        assert form.fits(text), text
        if form.check is not None and title != "Danish personal numbers":
            last = text[-1]
            others = [text[:-1] + sign for sign in ("0123456789" if last.isdigit() else "ABCDEFGHJKLMNPQRSTUVWXYZ")]
            wrong = [other for other in others if other[-1] != last and form.fits(other)]
            assert not wrong, wrong


@pytest.mark.parametrize("title", [title for title, form in FORMS.items() if form.length])
def test_random_digits_are_no_column_of_national_numbers(title):
    rng = np.random.default_rng(0)
    digits = [str(number).zfill(FORMS[title].length) for number in rng.integers(0, 10 ** FORMS[title].length, 300)]
    assert found([f"x{text}"[1:] for text in digits]) is None


def bsn(n):
    """Numbers that pass the eleven test of the Dutch office, by the rule as it is printed."""
    rng = np.random.default_rng(1)
    numbers = rng.integers(10**7, 10**9, 20 * n)
    weights = np.array([9, 8, 7, 6, 5, 4, 3, 2, -1])
    digits = numbers[:, None] // 10 ** np.arange(8, -1, -1) % 10
    return numbers[(digits * weights).sum(axis=1) % 11 == 0][:n]


def test_whole_numbers_have_lost_their_leading_zeros():
    seen = found(bsn(60).tolist())
    assert seen.title == "Dutch citizen service numbers"
    assert seen.checked
    assert seen.one_person
    assert seen.reason == "the content looks like Dutch citizen service numbers, check digits right"
    assert found(np.arange(10**8, 10**8 + 500).tolist()) is None


def test_a_few_values_that_do_not_fit_are_counted():
    cells = [str(number).zfill(9) for number in bsn(95)] + [f"unknown {i}" for i in range(5)]
    assert found(cells).reason.startswith("the content looks like Dutch citizen service numbers in 95 of 100 values")
    assert found(cells[:40] + cells[95:] * 4 + [f"no {i}" for i in range(20)]) is None


@pytest.mark.parametrize(
    ("title", "cells"),
    [
        ("e-mail addresses", [f"someone.{i}@mail.example.org" for i in range(9)]),
        ("web addresses", [f"https://example.org/{i}" for i in range(9)]),
        ("IP addresses", [f"192.0.2.{i}" for i in range(9)]),
        ("IP addresses", [f"2001:db8::{i:x}" for i in range(9)]),
        ("device addresses (MAC)", [f"00:1B:44:11:3A:{i:02X}" for i in range(9)]),
        ("universal identifiers (UUID)", [f"123e4567-e89b-12d3-a456-42661417400{i}" for i in range(9)]),
        ("coordinates", [f"48.13{i}, 11.57{i}" for i in range(9)]),
        ("telephone numbers", [f"+49 89 123456{i}" for i in range(9)]),
        ("telephone numbers", [f"(212) 555-010{i}" for i in range(9)]),
        ("telephone numbers", [f"01 23 45 67 8{i}" for i in range(9)]),
        ("telephone numbers", [f"030/12345{i}" for i in range(9)]),
        ("postal addresses", [f"Hauptstraße {i}" for i in range(9)]),
        ("postal addresses", [f"{i} Main Street" for i in range(9)]),
        ("postal addresses", [f"{i} rue de la Paix" for i in range(9)]),
        ("licence plates", [f"M-AB {i}" for i in range(100, 130)]),
        ("licence plates", [f"AB-{i}-CD" for i in range(100, 130)]),
        ("names of persons", ["Anna Meyer", "Jose Garcia", "Müller, Thomas", "Ana Silva", "Luc Moreau", "Jan Nowak"] * 2
         + ["Eva Rossi", "Tim Berg", "Dr. Olga Ivanova"]),
        ("given names", ["Anna", "Thomas", "Claire", "Pedro", "Giulia", "Ingrid", "Mehmet", "Sophie", "Lars"]),
        ("family names", ["Schmidt", "Garcia", "Rossi", "Dupont", "Janssen", "Silva", "Novak", "Kaya", "Quux", "Meyer",
                          "Hansen", "Lopez", "Fnord"]),
    ],
)  # fmt: skip
def test_what_columns_look_like_whatever_they_are_called(title, cells):
    seen = found(cells)
    assert seen is not None, title
    assert seen.title == title


def test_free_text_is_told_by_its_length_and_what_it_contains_is_said():
    notes = [f"The patient was seen on ward {i} and sent home after the second visit" for i in range(60)]
    assert found(notes).title == "free text, which may name people"
    notes[7] += ", call 212-555-0147 or write to someone@example.org"
    assert found(notes).title.endswith("it contains telephone numbers, e-mail addresses")
    answers = ["I agree with this statement more than with the others"] * 30 + ["I do not agree with it at all"]
    assert found(answers * 3) is None


@pytest.mark.parametrize(
    "cells",
    [
        ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"],
        ["Georgia", "Virginia", "Florida", "Texas", "Ohio", "Maine", "Iowa", "Utah", "Nevada", "Oregon", "Kansas"],
        ["Jordan", "Chad", "France", "Germany", "Cuba", "Iran", "Haiti", "Laos", "Japan", "Peru", "Mali"],
        ["baker", "cook", "miller", "smith", "carpenter", "fisher", "driver", "nurse", "teacher", "clerk"],
        ["Baker", "Cook", "Miller", "Carpenter", "Fisher", "Driver", "Nurse", "Teacher", "Clerk", "Farmer", "Tailor"],
        ["Red", "Green", "Blue", "White", "Black", "Brown", "Gray", "Violet", "Pink", "Silver", "Gold"],
        ["Husband", "Wife", "Own-child", "Not-in-family", "Unmarried", "Other-relative", "Cousin", "Aunt", "Uncle"],
        [f"[{i}, {i + 5})" for i in range(0, 100, 5)],
        [f"{i:05}" for i in range(1000, 1300, 7)],
        [f"{i}.{i % 10}.2024" for i in range(1, 28)],
        [f"2024-{i:02}" for i in range(1, 13)],
        [f"v{i}" for i in range(40)],
        [f"{8 + i % 9:02}:{i % 60:02}:00" for i in range(40)],
        [f"{i}:{i + 1}" for i in range(40)],
        [f"1.{i}.{i + 3}" for i in range(40)],
        [f"{i}-{i + 9}" for i in range(10, 400, 10)],
        [f"{1000 + i} {2000 + i}" for i in range(40)],
        [f"E{i:02}.{i % 9}" for i in range(40)],
        [datetime.date(1950 + i, 1 + i % 12, 3) for i in range(40)],
        [i / 7 for i in range(40)],
        list(range(1_700_000_000, 1_700_000_400, 7)),
    ],
)
def test_what_is_no_identifier_is_not_called_one(cells):
    assert found(cells * 3) is None


def test_names_are_words_with_capitals():
    assert words_of_names("O'Connor, Seán") == ["o", "connor", "sean"]
    assert words_of_names("not stated") is None
    assert words_of_names("Ward 7") is None


def test_a_mark_of_a_hidden_cell_is_no_value():
    assert found(["*"] * 20) is None
    assert found([f"a{i}@example.org" for i in range(9)] + ["*"]).fitting == 9


def test_compact_and_luhn():
    assert compact("756.9217 0769-85") == "7569217076985"
    assert luhn("79927398713")
    assert not luhn("79927398710")


@pytest.mark.data
def test_no_column_of_real_data_is_taken_for_an_identifier(papers_data):
    """Adult, German credit, Diabetes 130, ILPD, Pima, glass, breast cancer and others: 300 columns."""
    files = [
        *("adult/adult.data.gz", "adult_arx/adult.csv.gz", "german/german.data.gz", "ilpd/ilpd.csv.gz"),
        *("diabetes130/diabetic_data.csv.gz", "pima/pima-indians-diabetes.data.gz", "glass/glass.data.gz"),
        *("wdbc/wdbc.data.gz", "soybean/soybean-large.data.gz", "sonar/sonar.all-data.gz"),
        *("waveform/waveform.data.gz", "tic_tac_toe/tic-tac-toe.data.gz"),
    ]
    wrong, columns = [], 0
    for file in files:
        arguments = {} if file.endswith("csv.gz") else {"header": False}
        if "german" in file:
            arguments["delimiter"] = " "
        table = Table.of(Path(papers_data, file), **arguments)
        columns += len(table.names)
        wrong += [f"{file}: {name}" for name in table.names if likely_identifier(table.column(name)) is not None]
    assert columns > 250
    assert not wrong, wrong


def test_of_the_samples_only_names_are_found():
    table = samples.clinic(600).data
    assert [name for name in table.names if likely_identifier(table.column(name)) is not None] == ["name"]
