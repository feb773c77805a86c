# SPDX-License-Identifier: Apache-2.0
"""Labellings made by hand, for tests of plans."""

from itertools import pairwise

from discreet.prepare.intervals import interval_label
from discreet.recoding.labels import EVERYTHING, MISSING, Labelling, Meaning


def of_texts(name, labels, kind="category"):
    """Every label is a value by itself; "*" is everything, None a missing cell."""
    fixed = {"*": EVERYTHING, None: MISSING}
    return Labelling(name, kind, tuple(labels), tuple(fixed.get(label) or Meaning.of([str(label)]) for label in labels))


def of_cuts(name, cuts):
    """The intervals between cuts of numbers, a missing cell, and "*"."""
    ends = list(pairwise((None, *cuts, None)))
    labels = (*(interval_label(low, high, "number") for low, high in ends), None, "*")
    return Labelling(name, "number", labels, (*(Meaning.between(low, high) for low, high in ends), MISSING, EVERYTHING))
