# SPDX-License-Identifier: Apache-2.0
"""Labels without a record are read as they look."""

import pytest

from discreet.attacks.label_meanings import _meaning
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning


@pytest.mark.parametrize(
    ("label", "kind", "meaning"),
    [
        (None, "number", MISSING),
        ("*", "number", EVERYTHING),
        ("[30, 40)", "number", Meaning.between(30, 40)),
        ("[30, 40) or missing", "number", Meaning.between(30, 40, missing=True)),
        ("1970", "date", Meaning.between(0, 365)),
        ("1970-Q2", "date", Meaning.between(90, 181)),
        ("< 1970-02", "date", Meaning.between(None, 31)),
        ("1970-02-01", "date", Meaning.of(["1970-02-01"])),
        ("101**", "number", Meaning.between(10100, 10200)),
        ("101**", "category", Meaning.of([], prefixes=["101"])),
        ("nurse or missing", "category", Meaning.of(["nurse"], missing=True)),
        ("clerk, nurse and 7 more", "category", EVERYTHING),
        ("10*** except 100**", "category", EVERYTHING),
        ("{clerk, nurse}", "category", EVERYTHING),
    ],
)
def test_a_label_without_a_record_means_what_it_looks_like(label, kind, meaning):
    assert _meaning(label, kind) == meaning
