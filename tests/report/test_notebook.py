# SPDX-License-Identifier: Apache-2.0
"""Displays for notebooks: names and counts, escaped, without scripts, and no cell of the owner's table."""

import importlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import discreet as ds
from discreet.evaluate.utility import holdout
from discreet.report import notebook
from discreet.report.notebook import DISPLAYS, Display, Grid, to_html
from discreet.study import recipe_from, run_study
from small_study import RECIPE, load, written_clinic

HOSTILE = '<img src=x onerror=alert(1)>"&'
FORBIDDEN = re.compile(r"<script|<iframe|<link|<object|onerror=|onclick=|javascript:|https?://", re.IGNORECASE)


class Tags(HTMLParser):
    """The tags of some HTML, each of which must be closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def clinic(rows=120):
    return ds.samples.load("clinic", rows=rows, random_state=3)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """One object of every class that has a display."""
    folder, sample = tmp_path_factory.mktemp("shown"), clinic()
    release = ds.Mondrian(k=4, random_state=1).release(sample.data, sample.roles)
    release.save(folder / "out")
    csv = written_clinic(folder, 100)
    findings = ds.attack(release, sample.data, attacks=["prosecutor", "homogeneity"])
    method = ds.Mondrian(k=4)
    options = {"folds": "2-fold", "classifiers": "naive-bayes"}
    return {
        "Table": sample.data,
        "Baskets": ds.Baskets.of(np.eye(4, dtype=int), list("abab")),
        "Dataset": ds.Dataset.of(sample.data, sample.roles),
        "Roles": sample.roles,
        "Sample": sample,
        "Inspection": ds.inspect_table(sample.data, target="readmitted"),
        "Verdict": release.check(ds.KAnonymity(4) & ds.LDiversity(2)),
        "Verification": ds.verify(folder / "out" / "release"),
        "Release": release,
        "AttackFindings": findings,
        "Finding": findings[0],
        "Evaluation": ds.evaluate_utility(method, sample.data, sample.roles, **options),
        "Utility": holdout(method, sample.data, sample.roles),
        "Study": run_study(lambda: load(csv, RECIPE), recipe_from(RECIPE), folder / "study", text=RECIPE),
    }


def test_every_class_has_a_display_and_every_display_a_class(shown):
    assert set(shown) == set(DISPLAYS)
    for name, thing in shown.items():
        assert name in [cls.__name__ for cls in type(thing).__mro__]
        html = thing._repr_html_()
        assert "<pre>" not in html, name  # the display of what cannot be described
        assert not FORBIDDEN.search(html), name
        assert Tags(html).seen <= {"div", "strong", "span", "table", "thead", "tbody", "tr", "th", "td"} | {
            *("ul", "li", "details", "summary")
        }
        assert len(html) < 20_000, name
        assert len(repr(thing)) < 2_000, name


def test_a_verdict_that_leaves_the_label_open_is_not_green(shown):
    verdict = shown["Release"].verdict
    assert verdict.holds
    assert verdict.with_label < verdict.required
    html = verdict._repr_html_()
    assert "holds, but mind" in html
    assert "Whoever knows the label, too: 1 left instead of 4." in html


def test_no_colour_without_a_ground_of_its_own(shown):
    for thing in shown.values():
        for style in re.findall(r'style="([^"]*)"', thing._repr_html_()):
            assert ("color:#" in style) == ("background:#" in style)


def test_the_owners_cells_are_not_shown(shown):
    """Values that a table has and no release of it: names and numbers of persons."""
    table = shown["Table"]
    private = {*table.column("name").texts, *table.column("patient_id").texts}
    assert len(private) > 200
    for name in (
        "Table",
        "Dataset",
        "Sample",
        "Inspection",
        "Roles",
        "Release",
        "Verdict",
        "AttackFindings",
        "Evaluation",
        "Study",
    ):
        words = set(re.findall(r">([^<>]+)<", shown[name]._repr_html_()))
        assert not {word for word in words & private if not word.isdigit() or len(word) > 4}, name


def test_of_a_release_the_first_published_rows_are_shown(shown):
    release, html = shown["Release"], shown["Release"]._repr_html_()
    first = release.table.column("diagnosis").to_arrow().to_pylist()[0]
    assert f">{first}<" in html
    assert "The first 5 rows, as published" in html
    assert "Not protected" in html
    assert "holds, but mind what it leaves open" in html  # somebody who knows the label is left with one person


def test_what_comes_from_outside_is_escaped_and_cut():
    rows = {HOSTILE: [1, 2, 1, 2], "x" * 500: ["a", "b", "a", "b"], "bell\x07": [1, 1, 2, 2]}
    table = ds.Table.of(rows)
    roles = ds.Roles(target="x" * 500, quasi=[HOSTILE])
    release = ds.Mondrian(k=2).release(table, roles)
    for thing in (table, roles, release, ds.Dataset.of(table, roles)):
        html = thing._repr_html_()
        assert "<img" not in html
        assert "x" * 100 not in html
        assert "\x07" not in html
        assert "&lt;img" in html


def test_a_verdict_that_does_not_hold_says_so():
    table = {"age": [1, 2, 3, 4], "y": ["a", "b", "a", "b"]}
    html = ds.KAnonymity(2).check(table, ds.Roles(target="y", quasi=["age"]))._repr_html_()
    assert "does not hold" in html
    assert "4 of 4 rows fall short" in html


def test_columns_that_cannot_be_read_and_large_tables(monkeypatch):
    table = ds.Table.of({"mixed": [1, "a", [2]], "age": [1, 2, 3]})
    assert "cannot be read" in table._repr_html_()
    monkeypatch.setattr(importlib.import_module("discreet.report.notebook_data"), "_MOST_CELLS", 2)
    assert ">3<" not in table._repr_html_()


def test_a_long_table_is_cut():
    html = notebook._html(Display("long", grids=[Grid(("n",), [(i,) for i in range(100)], caption="many")]))
    assert "and 40 more" in html
    assert html.count("<tr>") == 61


def test_what_cannot_be_described_is_shown_as_plain_text():
    class Table:
        def __repr__(self):
            return "<odd>"

    assert to_html(Table()) == "<pre>&lt;odd&gt;</pre>"


def test_head_shows_the_first_rows_and_no_more():
    frame = clinic().data.to_pandas()
    table = ds.Table.of(frame)
    assert table.head().shape == (5, 11)
    assert type(table.head(2)) is type(frame)
    assert len(table.head(10_000)) == len(frame)
