# SPDX-License-Identifier: Apache-2.0
"""The page of a risk assessment: complete, without scripts and requests, and without a cell of the table."""

import re

import numpy as np

from discreet import risk_of
from discreet.report.risk_page import to_risk_page

rng = np.random.default_rng(3)
TABLE = {
    "age": rng.integers(20, 95, 400),
    "town": rng.choice(["kestrel", "brambling"], 400),
    "<b>sex</b>": rng.choice(["f", "m"], 400),
}
QUASI = list(TABLE)


def page(**known):
    return to_risk_page(risk_of(TABLE, QUASI, **known).to_dict(), name="survey <1>.csv")


def test_it_shows_what_was_measured():
    text = page(sampling_fraction=0.02)
    for heading in ("Attackers", "Population", "How many rows are alike", "The risk of each row", "Special uniques"):
        assert heading in text
    assert "Unique persons of the population" in text
    assert "Under Pitman&#39;s model" in text
    assert re.search(r'<td class="last">chosen</td>', text)
    assert "HIPAA safe harbour" in text


def test_it_leaves_out_what_was_not_measured():
    text = page()
    assert "The risk of each row" not in text
    assert "Unique persons of the population" not in text
    assert "Nothing is known about the population" in text


def test_a_population_that_was_counted():
    text = page(population={name: np.tile(values, 3) for name, values in TABLE.items()})
    assert "1,200 persons" in text
    assert "chance that a person of the population is in the table" in text


def test_it_loads_nothing_and_escapes_names():
    text = page(sampling_fraction=0.5)
    assert "<script" not in text
    assert not re.search(r'(src|href)="', text)
    assert "default-src 'none'" in text
    assert "<b>sex</b>" not in text
    assert "survey &lt;1&gt;.csv" in text


def test_no_cell_is_in_it():
    text = page(sampling_fraction=0.5)
    assert "kestrel" not in text
    assert "brambling" not in text
