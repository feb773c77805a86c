# SPDX-License-Identifier: Apache-2.0
"""What a promise leaves open comes first, and no card is green where there is such a line."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import Baskets, GreedySelector, KAdet, Mondrian, PrivateTable, Roles, Table
from discreet.cli.app import app
from discreet.report.cautions import cautions_of
from discreet.report.public_page import summarise_public, to_public_page
from discreet.report.release_page import to_html
from discreet.report.summary import Outcome, summarise
from discreet.report.text import to_text
from parsed import Page


def table(n=300):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, n)
    return Table.of(
        {"age": age, "sex": rng.choice(["f", "m"], n), "ill": rng.choice(["flu", "gout"], n), "y": rng.random(n) > 0.5}
    )


def keys(release, **more):
    return [line["key"] for line in cautions_of(release.certificate, **more)]


def test_by_hand():
    """Two groups of three: all flu, and gout, flu, gout."""
    rows = {"age": [31, 34, 38, 52, 55, 59], "y": ["flu", "flu", "flu", "gout", "flu", "gout"]}
    release = Mondrian(k=3).release(rows, Roles(target="y", quasi=["age"]))
    found = {line["key"]: line["text"] for line in cautions_of(release.certificate)}
    assert [*found] == ["label known", "one class", "few rows"]
    assert "is left with 1 instead of 3, so such a person is found." in found["label known"]
    assert found["one class"].startswith(
        "50.0 % of the rows are in groups in which all rows have the same label, 1 of 2"
    )
    assert "Only 6 rows" in found["few rows"]


def test_each_line_is_about_what_is_there():
    roles = Roles(target="y", quasi=["age", "sex"], sensitive=["ill"])
    plain = Mondrian(k=100, split="information").release(table(), roles)
    assert "one value" not in keys(plain)
    tight = Mondrian(k=2, labels="hierarchy").release(table(), roles)
    assert {"label known", "one class", "one value", "downcoding"} <= set(keys(tight))
    assert "downcoding" not in keys(Mondrian(k=2, labels="cuts").release(table(), roles))
    protected = Mondrian(k=5, label_known=True).release(table(), roles)
    assert "label known" not in keys(protected)
    more = keys(plain, blank=["sex"], guessed=["age"], suppressed=0.7, remarks=["So it is."])
    assert {"blank columns", "guessed roles", "suppressed", "remark"} <= set(more)
    assert not {"blank columns", "guessed roles", "suppressed", "remark"} & set(keys(plain))


def test_items_noise_and_models_have_their_own():
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((300, 12)) < 0.4).astype(int), rng.integers(0, 2, 300))
    assert "absences" in keys(GreedySelector(k=5).release(baskets))
    domain = {"age": (20, 80), "sex": ["f", "m"], "y": [False, True]}
    noisy = PrivateTable(epsilon=20, domain=domain)
    made = noisy.release(table(), Roles(target="y", quasi=["age", "sex"]))
    assert keys(made) == ["weak promise"]
    model = KAdet(k=5).release(table(), Roles(target="y", quasi=["age", "sex"]))
    assert keys(model, tree={"pure_leaves": 2, "pure_rows": 40}) == ["one class"]
    assert keys(model, tree={"pure_leaves": 0, "pure_rows": 0}) == []


@pytest.mark.parametrize(("label_known", "green"), [(False, False), (True, True)])
def test_the_first_card_is_green_only_where_nothing_is_open(tmp_path, label_known, green):
    rng = np.random.default_rng(5)
    rows = Table.of({"sex": rng.choice(["f", "m"], 400), "y": rng.choice(["a", "b"], 400, p=[0.99, 0.01])})
    if green:
        rows = Table.of({"sex": rng.choice(["f", "m"], 400), "y": rng.choice(["a", "b"], 400)})
    roles = Roles(target="y", quasi=["sex"])
    release = Mondrian(k=50, label_known=label_known).release(rows, roles)
    release.save(tmp_path / "out")
    summary = summarise(rows, roles, [Outcome(release)], name="people")
    pages = to_html(summary), to_public_page(summarise_public(tmp_path / "out" / "release"))
    for text in pages:
        badge = re.search(r'<span class="badge ([^"]*)">', text)[1]
        assert badge == ("holds" if green else "holds caution")
        words = Page(text).text
        assert ("Whoever knows the label." in words) != green
        if not green:
            assert words.index("Whoever knows the label.") < words.index("Promise")  # before anything else is said
    assert ("mind" in to_text(summary)) != green


def test_guessed_roles_are_said():
    roles = Roles(target="y", quasi=["age", "sex"])
    release = Mondrian(k=5).release(table(), roles)
    summary = summarise(table(), roles, [Outcome(release)], name="people", guessed=["age", "sex", "y"])
    assert "The roles of 3 columns were guessed, not given: 'age', 'sex', 'y'." in Page(to_html(summary)).text


def test_release_and_verify_say_the_same_and_name_a_column_that_singles_people_out(tmp_path):
    rows = {"age": [20, 60] * 30, "sex": ["f", "m"] * 30, "cost": [f"{i}.5" for i in range(60)], "y": [0, 1] * 30}
    roles = Roles(target="y", quasi=["age", "sex"], other=["cost"], allow_unique=["cost"])
    release = Mondrian(k=5).release(Table.of(rows), roles)
    published = release.save(tmp_path / "out") / "release"
    (facts,) = summarise(Table.of(rows), roles, [Outcome(release)], name="x")["releases"]
    said = [line["text"] for line in facts["cautions"]]
    assert "'cost' singles people out: 60 of 60 rows have a value there that no other row has." in said
    assert any("of the rows are in groups in which all rows have the same label" in text for text in said)
    checked = CliRunner().invoke(app, ["verify", str(published)]).stdout
    assert re.findall(r"  mind +(.*)", checked) == said
    assert checked.count("singles people out") == 1
    answer = json.loads(CliRunner().invoke(app, ["verify", str(published), "--json"]).stdout)
    assert [line["text"] for line in answer["cautions"]] == said
