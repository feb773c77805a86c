# SPDX-License-Identifier: Apache-2.0
"""Samples to look around with, one for each shape of data; all are made up."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from discreet.foundation.system import set_mode
from discreet.studio.project import Project


@dataclass(frozen=True)
class OfferedSample:
    """A sample: what it is, its file, and how it is taken into a project."""

    about: str
    file: str
    write: Callable[[Path], bytes | None]  # returns the labels, if they are in a second file
    text: str | None = None


def take_sample(project: Project, name: str) -> None:
    """Make a sample the table of a project."""
    sample = SAMPLES[name]
    place = project.place_for(sample.file)
    labels = sample.write(place)
    set_mode(place, 0o600)
    project.take(sample.file, place)
    if labels is not None:
        project.take_labels(Path(sample.file).with_suffix(".labels").name, labels)
    if sample.text is not None:
        project.set_shape("text")
        project.journal.decide(("text",), sample.text, f"The texts are in the column {sample.text}.")


def _clinic(place: Path) -> None:
    from discreet.samples import load

    load("clinic", rows=2000, random_state=0).data.write(place, "csv", input_again=True)  # type: ignore[call-arg]


_GOODS = (
    "apples bananas beans beer biscuits bread butter cabbage candles carrots cheese chocolate coffee cream eggs flour"
    " garlic ham honey jam juice lemons lentils milk mustard nappies noodles nuts oats olives onions paper pears peas"
    " plasters rice salt soap tea wine"
)


def _purchases(place: Path) -> bytes:
    from discreet.samples import quest

    baskets: Any = quest(600, items=40, mean_length=5, patterns=20, classes=2, random_state=0).data
    named = {f"item{place}": word for place, word in enumerate(_GOODS.split())}
    lines = [" ".join(named[item] for item in baskets.items(row)) for row in range(len(baskets))]
    place.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return "".join(f"{label}\n" for label in baskets.label_values).encode()


_OPENINGS = ("The patient reports", "Complains of", "Seen today for", "Came in with", "Known for")
_SIGNS = {
    "no": ("mild cough", "sore throat", "tired after work", "back pain", "headache", "a cold", "sleeps badly"),
    "yes": (
        "chest pain",
        "short breath at night",
        "swollen legs",
        "irregular pulse",
        "fever for a week",
        "dizzy spells",
    ),
}
_LIVES = (
    "lives alone",
    "works at the harbour",
    "retired teacher",
    "smokes",
    "has two children",
    "walks daily",
    "travels a lot",
    "drinks little",
    "cares for her mother",
    "sings in a choir",
)
_ENDS = ("Rest and fluids.", "To be seen again in two weeks.", "Blood was taken.", "Sent home.", "Medication changed.")


def _notes(place: Path) -> None:
    """400 short notes; those of patients who came back speak of other signs, mostly."""
    drawn = Random(0)
    with place.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(["note", "came_back"])
        for _ in range(400):
            label = "no" if drawn.random() < 0.6 else "yes"
            signs = [drawn.choice(_SIGNS[kind]) for kind in (label if drawn.random() < 0.8 else "no", label)]
            lives = ", ".join(drawn.sample(_LIVES, 2))
            note = f"{drawn.choice(_OPENINGS)} {' and '.join(signs)}; {lives}. {drawn.choice(_ENDS)}"
            written.writerow([note, label])


SAMPLES = {
    "clinic": OfferedSample("A table: 2,000 made-up patients of a clinic. Will they come back?", "clinic.csv", _clinic),
    "purchases": OfferedSample("Baskets: what 600 made-up customers bought.", "purchases.dat", _purchases),
    "notes": OfferedSample("Texts: 400 made-up notes about patients.", "notes.csv", _notes, "note"),
}
