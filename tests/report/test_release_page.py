# SPDX-License-Identifier: Apache-2.0
"""The page says what the summary says, escapes what it shows, and asks nothing of the network."""

import re
import shlex

import numpy as np
import pytest

from discreet import Baskets, GreedySelector, Mondrian, Roles, Table, TopDownSpecialization
from discreet.evaluate.utility import holdout
from discreet.report import release_page
from discreet.report.again import command
from discreet.report.release_page import columns_kept, columns_suppressed, spread, to_html
from discreet.report.summary import Outcome, summarise
from discreet.report.text import to_text
from parsed import Page

HOSTILE = '<script>alert("x")</script>&amp;'


def study(*methods, quasi=("age", "sex"), n=200, evaluate=True):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, n)
    columns = {"age": age, "sex": rng.choice(["f", "m"], n), HOSTILE: rng.choice(["a", "b"], n)}
    table = Table.of(columns | {"y": np.where(age + rng.normal(0, 9, n) > 50, "yes", "no")})
    roles = Roles(target="y", quasi=quasi)
    outcomes = [
        Outcome(m.release(table, roles), holdout(m, table, roles) if evaluate else None, no_utility="Not asked for.")
        for m in methods
    ]
    return summarise(table, roles, outcomes, name=f"people {HOSTILE}")


@pytest.fixture(scope="module")
def both():
    return study(GreedySelector(k=5), Mondrian(k=5))


def test_the_page_is_one_well_formed_file_without_script_or_address(both):
    text = to_html(both)
    page = Page(text)
    assert not {"script", "iframe", "img", "object"} & {tag for tag, _ in page.tags}
    assert not [attrs for _, attrs in page.tags if {"src", "srcset", "onload", "onclick"} & set(attrs)]
    assert not [tag for tag, attrs in page.tags if "href" in attrs]
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"https?://", text)
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


def test_names_are_escaped(both):
    summary = study(Mondrian(k=5), quasi=("age", HOSTILE))
    for text in (to_html(both), to_html(summary)):
        assert "<script" not in text
        assert HOSTILE in Page(text).text


def test_the_page_says_what_the_summary_says(both):
    text = Page(to_html(both)).text
    for release in both["releases"]:
        assert release["promise"] in text
        assert release["verdict"]["sentence"] in text
        assert release["does_not_protect"] in text
        assert release["promise_in_words"] in text
        assert f"{100 * release['utility']['accuracy_after']['value']:.1f} %" in text
    for heading in ("Who can be found", "What it costs", "What this does not protect against", "How to check it"):
        assert heading in text
    assert "owner's report" in text


def test_every_chart_has_words_with_its_figures_and_ids_are_unique(both):
    page = Page(to_html(both))
    charts = [attrs for _, attrs in page.tags if "chart" in attrs.get("class", "").split()]
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(charts) > 3
    assert len(ids) == len(set(ids))
    for chart in charts:
        assert chart["role"] == "img"
        assert "%" in chart["aria-label"]
    assert any("Detail kept of each quasi-identifier" in chart["aria-label"] for chart in charts)


def test_the_page_is_made_for_a_phone_and_for_paper(both):
    text = to_html(both)
    assert 'name="viewport"' in text
    assert "@media print" in text


def test_a_release_that_was_not_measured_says_so():
    text = Page(to_html(study(Mondrian(k=5), evaluate=False))).text
    assert "Not asked for." in text
    assert "Accuracy on" not in text


def test_an_attacker_who_knows_the_label_or_absences_is_mentioned():
    text = Page(to_html(study(GreedySelector(k=20), Mondrian(k=5)))).text
    assert "knows the label too" in text


def test_baskets_and_many_names_fit_a_page():
    rng = np.random.default_rng(2)
    baskets = Baskets.of((rng.random((400, 90)) < 0.5).astype(int), rng.integers(0, 2, 400))
    release = GreedySelector(k=2).release(baskets)
    wide = GreedySelector(k=2, max_features=3).release(baskets)
    for made in (release, wide):
        text = Page(to_html(summarise(baskets, None, [Outcome(made)], name="shop"))).text
        assert "400 baskets of 90 items" in text


def test_without_changes_of_columns_there_is_no_chart_of_them(both):
    bare = both | {"releases": [release | {"column_changes": []} for release in both["releases"]]}
    text = to_html(bare)
    assert "Detail kept" not in text
    assert "Cells suppressed in each" not in text


def test_losses_rows_left_out_and_swapped_cells_are_said(both):
    page = Page(to_html(both)).text
    for release in both["releases"]:
        groups = release["losses"]["groups"]
        assert f"{groups['pure_groups']} of {groups['groups']}" in page
    assert "certainty penalty" in page
    assert "fewest different values of y" in page
    assert "left out;" not in page
    changes = both["releases"][0]["changes"] | {"rows_dropped": 2, "swapped_cells": 3}
    changed = Page(to_html(both | {"releases": [both["releases"][0] | {"changes": changes}]})).text
    assert "3 swapped between rows, so their values are false" in changed
    assert "; 2 rows left out." in changed


def test_distributions_are_drawn_and_columns_that_tell_nothing_are_named():
    labels = [{"label": "a", "before": 0.5, "after": 0.4}, {"label": "b", "before": 0.3, "after": 0.4}]
    found = spread(
        [
            {"name": "x", "labels": labels},
            {"name": "mute", "labels": [{"label": "*", "before": 1.0, "after": 1.0}]},
            {"name": "items", "labels": labels},  # a column may be called so
        ],
        "table",
    )
    assert found["silent"] == ["mute"]
    assert [one["name"] for one in found["drawn"]] == ["x", "items"]
    for one in found["drawn"]:
        said = [(line["label"], [bar["text"] for bar in line["bars"]]) for line in one["lines"]]
        assert said == [("a", ["50.0 %", "40.0 %"]), ("b", ["30.0 %", "40.0 %"]), ("missing", ["20.0 %", "20.0 %"])]
    flags = [{"label": "0", "before": 0.9, "after": 0.8}, {"label": "1", "before": 0.1, "after": 0.2}]
    (chart,) = spread([{"name": name, "labels": flags} for name in ("sex=f", "sex=m")], "table")["drawn"]
    assert [(line["label"], line["bars"][1]["text"]) for line in chart["lines"]] == [
        ("sex=f", "20.0 %"),
        ("sex=m", "20.0 %"),
    ]
    text = Page(to_html(study(Mondrian(k=100, split="median"), quasi=("age", "sex")))).text
    assert "Distributions before and after" in text


def test_shares_of_items_do_not_add_up():
    """A basket may have several items, or none; and items may be called 0 and 1."""
    for names in (("0", "1"), ("a",)):
        lines = [{"label": name, "before": 1.0, "after": 1.0} for name in names]
        found = spread([{"name": "items", "labels": lines}], "baskets")
        assert found["silent"] == []
        assert [line["label"] for line in found["drawn"][0]["lines"]] == [*names]


def test_where_every_row_is_suppressed_the_page_says_so():
    said = "every row is wholly suppressed or left out"
    assert said in Page(to_html(study(TopDownSpecialization(k=200), evaluate=False))).text
    assert said not in Page(to_html(study(Mondrian(k=5), evaluate=False))).text


def test_nobody_is_said_to_be_found_among_synthetic_rows():
    summary = study(Mondrian(k=5), evaluate=False)
    (release,) = summary["releases"]
    noisy = release | {"certificate": release["certificate"] | {"noise": {"back end": "any"}}}
    text, other = Page(to_html(summary | {"releases": [noisy]})).text, Page(to_html(summary)).text
    for said in ("The published rows are synthetic", "none of them is the row of a person"):
        assert said in text
        assert said not in other
    assert "synthetic" in to_text(summary | {"releases": [noisy]})
    assert "unique rows" in to_text(summary)
    for said in ("chance to pick the right person", "In the release none is"):
        assert said in other
        assert said not in text


def test_cells_suppressed_are_drawn_for_each_column():
    change = {"name": "x", "published": ["x"], "values_before": 9, "values_after": 4, "detail": 0.4}
    found = columns_suppressed([{"rows": 200, "column_changes": [change | {"suppressed_cells": 50}]}])
    assert [(line["label"], line["bars"][0]["text"]) for line in found] == [("x", "25.0 %")]
    assert columns_suppressed([{"rows": 200, "column_changes": [change | {"suppressed_cells": 0}]}]) == []
    fates = [line["fates"] for line in columns_kept([{"column_changes": [change | {"values_after": 1}]}])]
    assert fates == [["blank: 1, for all rows"]]


def test_the_page_says_how_to_make_it_again():
    summary = study(Mondrian(k=5, split="information"), quasi=("age", HOSTILE), evaluate=False)
    said = command(summary, summary["releases"][0])
    words = shlex.split(said)
    assert words[:3] == ["discreet", "release", f"people {HOSTILE}"]
    assert words[words.index("--quasi") + 1] == f"age,{HOSTILE}"
    assert words[words.index("--method") + 1 :][:3] == ["mondrian", "--k", "5"]
    assert [word for word in words if "=" in word and word.startswith("split")] == ["split=information"]
    assert "seed" not in said
    assert said in Page(to_html(summary)).text
    again = summary | {"source": {"columns": [{"name": n, "role": "quasi"} for n in ("a, b", "c")]}}
    words = shlex.split(command(again, summary["releases"][0]))
    assert [words[i + 1] for i, word in enumerate(words) if word == "--quasi"] == ["a, b", "c"]


def test_the_letters_of_a_promise_have_values(both):
    text = Page(to_html(both)).text
    assert "shared by at least k persons. Here k is 5." in text


def test_seven_releases_have_a_sign_each():
    text = to_html(study(*[Mondrian(k=k) for k in (5, 6, 7, 8, 9, 10, 11)], evaluate=False))
    used = set(re.findall(r'class="(s\d+)"', text))
    assert used <= {f"s{place}" for place in range(7)}


def test_same_summary_same_page(both):
    assert to_html(both) == to_html(both)


def test_compiled_templates_are_those_of_one_version(tmp_path, monkeypatch):
    monkeypatch.setattr(release_page, "folder_for_code", lambda _: tmp_path)
    for version in ("1.0", "1.1"):
        monkeypatch.setattr(release_page, "__version__", version)
        release_page.environment.__wrapped__().get_template("document.html")
    assert sorted(path.name.rsplit("-", 1)[0] for path in tmp_path.iterdir()) == ["discreet-1.0", "discreet-1.1"]
