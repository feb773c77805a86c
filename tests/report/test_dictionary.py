# SPDX-License-Identifier: Apache-2.0
"""The dictionary explains every mark that occurs, and says nothing that is not published."""

import csv
import io
import json
import re

import numpy as np
import pytest

from discreet import Baskets, GreedySelector, ItemGroups, KAdet, Mondrian, Roles, Table, TreeLadder
from discreet.data.column import SUPPRESSED
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.labels import EVERYTHING, Meaning
from discreet.report.dictionary import to_csv, to_markdown
from discreet.report.marks import MARKS, in_words, mark_by_looks, mark_of
from discreet.report.public_page import summarise_public, to_dictionary_page, to_public_page
from parsed import Page

NINE = "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' or 1 more"
HOSTILE = "=1+1|`<b>x</b>"


def people(n=400):
    rng = np.random.default_rng(2)
    job = rng.choice(
        ["clerk", "nurse", "other", HOSTILE, *(f"rare{place}" for place in range(9))],
        n,
        p=[0.25] * 3 + [0.23, *[0.02 / 9] * 9],
    )
    days = np.datetime64("2019-01-01") + rng.integers(0, 1500, n)
    income = rng.integers(100, 4000, n).astype(object)
    income[rng.random(n) < 0.15] = None
    return Table.of(
        {
            "job": job,
            "age": rng.integers(20, 80, n),
            "since": days.astype(str),
            "zip": [f"{code:05d}" for code in rng.choice([1001, 1002, 1102, 20001, 20002, 30003, 40004], n)],
            "income": list(income),
            "y": rng.choice(["yes", "no"], n),
        }
    )


ROLES = Roles(target="y", quasi=["job", "age", "since", "zip", "income"])


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    release = Mondrian(k=8, random_state=1).release(people(), ROLES)
    return summarise_public(release.save(tmp_path_factory.mktemp("dictionary") / "out") / "release")


def test_every_label_has_a_mark_that_is_explained(summary):
    entries = {entry["name"]: entry for entry in summary["dictionary"]}
    assert [*entries] == [column["name"] for column in summary["columns"]]
    for entry in entries.values():
        assert abs(sum(mark["share"] for mark in entry["marks"]) - 1) < 1e-9  # every cell has one
        for mark in entry["marks"]:
            assert mark["means"] == MARKS[mark["mark"]].means
            assert mark["example_means"]
    assert entries["age"]["kind"] == "numbers"
    assert entries["since"]["kind"] == "dates"
    kinds = {mark["mark"] for entry in entries.values() for mark in entry["marks"]}
    assert {"below", "from", "set", "all but"} <= kinds
    text = Page(to_public_page(summary)).text
    assert "one of these values, and nobody knows which" in text
    assert "The label, which classifiers are to predict" in text


def test_a_value_that_a_public_grid_does_not_name_may_be_common(tmp_path):
    """Half of the rows are of nurses, which the grid does not name; they are not rare."""
    rows = {"job": ["clerk", "nurse"] * 20, "age": [30, 30, 40, 40] * 10, "y": ["no", "no", "yes"] * 13 + ["no"]}
    roles = Roles(target="y", quasi=["job", "age"])
    release = Mondrian(k=5, labels="cuts", grids={"job": ["clerk"]}, random_state=1).release(rows, roles)
    summary = summarise_public(release.save(tmp_path / "out") / "release")
    marks = {mark["mark"]: mark for mark in summary["dictionary"][0]["marks"]}
    assert marks["unlisted"]["share"] == 0.5
    assert marks["unlisted"]["means"] == "a value that the published list does not name"
    text = Page(to_public_page(summary)).text
    assert "fewer than 5 persons have each of them" not in text
    assert "too rare to be named" not in text


def test_the_value_other_and_the_mark_of_others_are_told_apart(tmp_path):
    release = Mondrian(k=20, random_state=1).release(people(), Roles(target="y", quasi=["job"]))
    found = summarise_public(release.save(tmp_path / "out") / "release")["dictionary"][0]
    labels = {one["label"]: one["meaning"] for one in found["spelt_out"]}
    made_up = [label for label in labels if label and "other values" in label]
    assert made_up
    assert all("fewer than 20 persons have each of them" in labels[label] for label in made_up)
    assert labels.get("other", "'other'") == "'other'"


@pytest.mark.parametrize(
    ("label", "meaning", "kind", "mark", "words"),
    [
        ("[30, 40)", Meaning.between(30, 40), "number", "between", "30 or more, below 40"),
        ("< 25", Meaning.between(None, 25), "number", "below", "below 25"),
        (">= 1500", Meaning.between(1500, None), "number", "from", "1500 or more"),
        ("31", Meaning.between(31, 32), "number", "value", "31 or more, below 32"),
        ("2019-Q1", Meaning.between(17897, 17987), "date", "period", "from 2019-01-01, before 2019-04-01"),
        ("2019", Meaning.between(17897, 18262), "date", "period", "from 2019-01-01, before 2020-01-01"),
        ("{a, b}", Meaning.of(["a", "b"]), "category", "set", "'a' or 'b'"),
        ("not {a}", Meaning(texts=frozenset("a"), but=True), "category", "all but", "any value but 'a'"),
        ("100**", Meaning.of([], prefixes=["100"]), "category", "prefix", "what begins with '100'"),
        ("other", Meaning.of([], others=True), "category", "other", "a value that this column does not name: few"),
        ("other", Meaning.of(["other"]), "category", "value", "'other'"),
        ("a, b and 7 more", Meaning.of("abcdefghi"), "category", "name", NINE),
        ("a or missing", Meaning.of(["a"], missing=True), "category", "or missing", "'a', or no value"),
        ("not missing", Meaning(but=True), "category", "not missing", "any value"),
        ("*", EVERYTHING, "category", "suppressed", MARKS["suppressed"].means),
        (None, Meaning(missing=True), "number", "missing", MARKS["missing"].means),
    ],
)  # fmt: skip
def test_marks_and_meanings_by_hand(label, meaning, kind, mark, words):
    assert mark_of(label, meaning) == mark
    assert in_words(meaning, kind, least="few") == words
    if mark not in ("other", "period") and label != "31":
        assert mark_by_looks(label, kind, coarsened=True) == mark


def test_without_a_record_labels_are_read_as_they_look():
    assert mark_by_looks("[30, 40)", "category", coarsened=True) == "between"
    assert mark_by_looks("2019-03", "category", coarsened=True) == "period"
    assert mark_by_looks("[30, 40)", "category", coarsened=False) == "value"
    assert mark_by_looks(SUPPRESSED, "number", coarsened=True) == "suppressed"


def test_codes_periods_trees_items_and_groups_are_explained(tmp_path):
    tree = from_paths(
        "zip",
        [(code, code[:2] + "***", "*") for code in ("01001", "01002", "01102", "20001", "20002", "30003", "40004")],
    )
    made = {
        "ladder": TreeLadder(k=8, hierarchies={"zip": tree}).release(people(), ROLES),
        "items": GreedySelector(k=8).release(people(), Roles(target="y", quasi=["job", "age"])),
        "model": KAdet(k=10).release(people(), Roles(target="y", quasi=["age", "job"])),
    }  # fmt: skip
    found = {
        name: summarise_public(release.save(tmp_path / name) / "release")["dictionary"]
        for name, release in made.items()
    }
    item = next(entry for entry in found["items"] if entry["marks"] and entry["marks"][0]["mark"] == "item")
    assert item["written"].startswith("1 if a row has the value ")
    assert {entry["written"] for entry in found["model"]} == {
        "named in the published document; its cells are not published"
    }
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((200, 8)) < 0.3).astype(int), rng.integers(0, 2, 200))
    for form, written in (
        ("groups", "1 if a row has one of: "),
        ("scores", "1 if the points of a row's items come to "),
    ):
        grouped = ItemGroups(k=10, form=form, coverage=0.5 if form == "groups" else 0.1).release(baskets)
        entries = summarise_public(grouped.save(tmp_path / form) / "release")["dictionary"]
        assert any(entry["written"].startswith(written) for entry in entries)


def test_files_of_it_run_no_formula_and_hold_no_markup_of_others(summary):
    rows = list(csv.DictReader(io.StringIO(to_csv(summary["dictionary"]))))
    assert {row["column"] for row in rows} == {column["name"] for column in summary["columns"]}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]
    text = to_markdown(summary["dictionary"], title="Data dictionary", note="A release.")
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count(" | ") for line in tables if "---" not in line} == {4}
    outside = re.sub(r"`[^`\n]*`", "", text.replace("\\`", ""))
    assert not re.search(r"(?<!\\)[<`]", outside)
    page = to_dictionary_page(summary)
    assert "<b>x</b>" not in page
    assert "What every mark means" in Page(page).text


def test_it_holds_only_published_values(tmp_path, summary):
    """Rare values have no place in it, nor have columns that are not published."""
    assert "rare" not in json.dumps([entry["marks"] + entry["spelt_out"] for entry in summary["dictionary"]]).replace(
        MARKS["other"].means, ""
    )
