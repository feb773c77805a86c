# SPDX-License-Identifier: Apache-2.0
"""The summary is plain, complete, and free of private values."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet import (
    Baskets,
    BreachIncrease,
    DataError,
    GreedySelector,
    KAdet,
    KAnonymity,
    Mondrian,
    Roles,
    RolesError,
    Table,
    samples,
)
from discreet.data.dataset import Dataset
from discreet.evaluate.confidence import Share
from discreet.evaluate.facts import promise_in_words
from discreet.evaluate.raw_use import RawUse, raw_use_of_its_own_rows
from discreet.evaluate.utility import holdout
from discreet.privacy.k_anonymous_model import KAnonymousModel
from discreet.privacy.promise import PROMISES, Both
from discreet.report.release_page import to_html
from discreet.report.summary import FORMAT, Outcome, summarise
from discreet.report.text import to_text

MARKER = "Zyx-4711"


def people(n=240):
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, n)
    town = rng.choice(["North", "South"], n).astype(object)
    town[3] = MARKER  # one person's: too rare to be published
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 5)), "yes", "no")
    return Table.of({"name": [f"{MARKER}-{i}" for i in range(n)], "age": age, "town": town, "idle": age % 3, "y": y})


ROLES = Roles(target="y", quasi=["age", "town"], identifiers=["name"])


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def summary(table):
    greedy, mondrian = GreedySelector(k=5, random_state=0), Mondrian(k=5, random_state=0)
    outcomes = [
        Outcome(greedy.release(table, ROLES), holdout(greedy, table, ROLES), folder="greedy/release"),
        Outcome(mondrian.release(table, ROLES), no_utility="Nobody asked."),
    ]
    return summarise(table, ROLES, outcomes, name="people.csv")


def test_it_is_plain_json_and_has_a_format(summary):
    assert json.loads(json.dumps(summary)) == summary
    assert summary["format"] == FORMAT == 2


def test_the_words_of_a_promise_are_whole_sentences():
    for name, promise in PROMISES.items():
        words = promise_in_words(promise.__new__(promise)) if promise is not Both else ""
        assert name == Both.name or (words.endswith(".") and "\n" not in words), name
    assert "with all attributes;" in promise_in_words(BreachIncrease(0.0))


def test_it_holds_no_private_value(summary):
    assert MARKER not in json.dumps(summary)


def test_it_answers_what_was_promised_whether_it_holds_and_what_it_costs(summary):
    greedy, mondrian = summary["releases"]
    assert summary["holds"]
    assert greedy["promise"] == "5-anonymity by containment"
    assert mondrian["promise"] == "5-anonymity"
    assert mondrian["verdict"]["measured"] >= mondrian["verdict"]["required"] == 5
    assert mondrian["promise_in_words"] == (KAnonymity.__doc__ or "").splitlines()[0]
    assert mondrian["does_not_protect"] == KAnonymity.does_not_protect
    assert 0 < greedy["utility"]["accuracy_after"]["low"] < greedy["utility"]["accuracy_after"]["value"] <= 1
    assert mondrian["utility"] is None
    assert mondrian["no_utility"] == "Nobody asked."
    assert summary["risk_before"]["k"] == 1
    assert mondrian["risk_after"]["k"] == mondrian["verdict"]["measured"]
    assert [change["name"] for change in mondrian["column_changes"]] == ["age", "town"]


def test_it_names_every_column_with_its_role_and_those_without(summary):
    roles = {column["name"]: column["role"] for column in summary["source"]["columns"]}
    assert roles == {"y": "target", "age": "quasi", "town": "quasi", "name": "identifiers", "idle": "none"}


def test_it_shows_the_certificate_without_what_only_saving_adds(summary):
    statement = summary["releases"][1]["certificate"]
    assert statement["method"]["name"] == "mondrian"
    assert "files" not in statement
    assert "random_state" not in json.dumps(summary)


def test_persons_are_counted_before_and_after():
    rng = np.random.default_rng(0)
    data = Table.of({"age": rng.integers(20, 60, 300), "y": rng.integers(0, 2, 300), "who": np.repeat(range(100), 3)})
    roles = Roles(target="y", quasi=["age"], person="who")
    summary = summarise(data, roles, [Outcome(Mondrian(k=5).release(data, roles))], name="visits")
    assert summary["risk_before"]["persons"] == 100
    (release,) = summary["releases"]
    assert release["counted"] == "persons"
    assert release["verdict"]["kind"] == "owner"


def test_baskets_are_summarised_by_their_items():
    rng = np.random.default_rng(2)
    baskets = Baskets.of((rng.random((120, 9)) < 0.3).astype(int), rng.integers(0, 2, 120))
    summary = summarise(baskets, None, [Outcome(GreedySelector(k=4).release(baskets))], name="shop")
    assert summary["source"] == {"shape": "baskets", "rows": 120, "items": 9, "ones": int(baskets.matrix.nnz)}
    assert summary["releases"][0]["column_changes"] == []
    assert json.loads(json.dumps(summary)) == summary


def test_a_release_without_a_plan_is_summarised_without_its_columns(table):
    release = replace(Mondrian(k=5).release(table, ROLES), plan=None, column_changes=())
    summary = summarise(table, ROLES, [Outcome(release)], name="people")
    assert summary["releases"][0]["column_changes"] == []


def test_a_table_needs_its_roles(table):
    with pytest.raises(RolesError, match="roles"):
        summarise(table, None, [], name="people")


@pytest.fixture(scope="module")
def model_summary(table):
    method = KAdet(k=5)
    return summarise(
        table, ROLES, [Outcome(method.release(table, ROLES), holdout(method, table, ROLES))], name="people"
    )


def test_a_model_is_summed_up_by_its_tree(model_summary, table):
    (model,) = model_summary["releases"]
    tree = KAdet(k=5).fit(table, ROLES).tree_
    counts = [tree.nodes[leaf]["counts"] for leaf in tree.leaves]
    shown = [found for found in counts if found is not None]
    pure = [found for found in shown if min(found) == 0]
    asked = {question["column"]: question["times"] for question in model["tree"]["questions"]}
    assert model["shape"] == "model"
    assert model["tree"]["leaves"] == len(tree.leaves) > 1
    assert (model["tree"]["leaves_shown"], model["tree"]["pure_leaves"]) == (len(shown), len(pure))
    assert model["tree"]["pure_rows"] == sum(map(sum, pure))
    assert sum(asked.values()) == len(tree.nodes) - len(tree.leaves)
    assert 1 <= model["tree"]["depth"] <= sum(asked.values())
    assert model["does_not_protect"] == KAnonymousModel.does_not_protect
    assert model["utility"]["classifier"].startswith("the released model")
    assert json.loads(json.dumps(model_summary)) == model_summary
    assert MARKER not in json.dumps(model_summary)


def test_the_page_of_a_model_says_that_no_rows_are_published(model_summary):
    page, text = to_html(model_summary), to_text(model_summary)
    assert "No rows are published, but a decision tree learnt from 240 rows" in page
    assert "no rows are published" in text
    assert "What this does not protect against" in page
    assert "Who can be found" not in page
    assert model_summary["releases"][0]["verdict"]["sentence"] in page
    assert "discreet release people --target y --quasi age,town --identifiers name --method kadet --k 5 -o out" in page
    assert "held-out rows</small>" in page
    assert MARKER not in page + text


def test_a_page_is_about_one_document_or_about_releases_with_rows(summary, model_summary):
    for releases in (summary["releases"] + model_summary["releases"], model_summary["releases"] * 2):
        with pytest.raises(DataError, match="covers one document, or releases that have rows"):
            to_html(summary | {"releases": releases})


def test_without_held_out_rows_it_is_said_if_rows_must_be_recoded():
    """Rows of the release as they were, read cell by cell, are no better than guessed: that is evident."""
    share = Share(0.7, 0.67, 0.73)
    needed = RawUse(
        Share(0.77, 0.74, 0.8), Share(0.65, 0.62, 0.68), share, Share(0.07, 0.04, 0.1), Share(-0.05, -0.08, -0.02)
    )
    table = {"age": [31, 34, 52, 55], "y": [0, 1, 0, 1]}
    roles = Roles("y", ["age"])
    release = Mondrian(k=2).release(table, roles)
    said = summarise(table, roles, [Outcome(release, own_rows=needed)], name="x")["releases"][0]["warnings"]
    assert said[-1].startswith(
        "It cannot be used without recoding: a classifier that learnt from it is right about 65.0 %"
    )
    assert "of its own rows as they are" in said[-1]
    useful = replace(needed, raw_gain=Share(0.06, 0.03, 0.09))
    quiet = summarise(table, roles, [Outcome(release, own_rows=useful)], name="x")["releases"][0]["warnings"]
    assert not any("recoding" in text for text in quiet)


def test_its_own_rows_are_read_as_they_were():
    sample = samples.load("clinic", rows=400, random_state=1)
    dataset = Dataset.of(sample.data, sample.roles)
    found = raw_use_of_its_own_rows(Mondrian(k=5).release(dataset), dataset)
    assert found.recoded.value > found.guessing.value
    assert found.raw.value < found.recoded.value
    baskets = Dataset.of(Baskets.of([[1, 0], [1, 1]] * 10, [0, 1] * 10))
    assert raw_use_of_its_own_rows(GreedySelector(k=2).release(baskets), baskets) is None
