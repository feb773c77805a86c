# SPDX-License-Identifier: Apache-2.0
"""The page of a study: what it says when a model is chosen, when one release is left, and when none is."""

from functools import partial

from discreet.report.study_page import summarise_study, to_page
from discreet.report.wording import points
from discreet.study import recipe_from, run_study
from parsed import Page
from small_study import ATTACKED, load, written_clinic

RECIPE = """[promises]
k = {k}
{methods}
[evaluation]
folds = "2-fold"
classifiers = ["naive-bayes", "c45"]
{more}
"""


def page_of(folder, *methods, k="5", more="", n=300):
    named = "".join(f'[[methods]]\nname = "{name}"\n' for name in methods)
    text = ATTACKED + RECIPE.format(k=k, methods=named, more=more)
    data = written_clinic(folder, n, seed=2)
    found = run_study(partial(load, data, text), recipe_from(text), folder / "study", text=text)
    summary = summarise_study(found, name="clinic.csv")
    return summary, Page(to_page(summary))


def test_where_a_model_is_chosen_the_best_release_with_rows_is_shown_too(tmp_path):
    summary, page = page_of(tmp_path, "kadet", "mondrian", more="[weights]\nprivacy = 1.0", n=1500)
    assert not summary["passed_over"]
    assert summary["best"] == "kadet-k5"
    assert summary["with_rows"]["name"] == "mondrian-k5"
    assert "kadet-k5 publishes no rows of persons" in page.text
    assert "The best release that publishes rows is mondrian-k5" in page.text
    charts = [attrs["aria-label"] for _, attrs in page.tags if "chart" in attrs.get("class", "").split()]
    for title in ("Rows by the size of their group", "Detail kept of each quasi-identifier", "Distribution of age"):
        assert any(label.startswith(title) for label in charts)
    assert "What attackers learn from mondrian-k5" in page.text
    assert "Its tree has" in page.text


def test_the_first_screen_says_promise_verdict_cost_and_who_knows_more(tmp_path):
    summary, page = page_of(tmp_path, "tds", "mondrian")
    facts, apart = summary["chosen"]["facts"], summary["difference"]
    first = page.text.split("What they are worth")[0]
    assert f"Its promise, {facts['promise']}, holds on the files that were written." in page.text
    assert "Here k is 5." in first
    mean, low, high = (points(apart[end]) for end in ("mean", "low", "high"))
    assert f"difference {mean}, 95 %: {low} to {high}" in first
    assert facts["verdict"]["with_label"] < facts["verdict"]["required"]
    assert f"is left with {facts['verdict']['with_label']:.0f} instead of" in first
    assert apart["low"] <= apart["mean"] <= apart["high"]


def test_the_sample_is_called_too_small_only_where_no_classifier_tells_the_two_apart(tmp_path):
    summary, _ = page_of(tmp_path, "tds", n=800)  # enough to tell it from guessing
    said = "this sample shows no difference from the original"
    for unsure in (True, False):
        page = Page(to_page(summary | {"difference": summary["difference"] | {"unsure": unsure}}))
        assert (said in page.text) == unsure


def test_sections_come_in_the_order_of_reading(tmp_path):
    _, page = page_of(tmp_path, "tds", k="[5, 20]")
    ids = [attrs["id"] for tag, attrs in page.tags if tag == "h2" and "id" in attrs]
    assert ids == ["all", "data", "risk", "utility", "changes", "k", "verify", "limits", "again"]
    links = [attrs["href"] for tag, attrs in page.tags if tag == "a"]
    assert links == [f"#{name}" for name in ids]


def test_where_every_release_was_refused_the_page_says_why(tmp_path):
    summary, page = page_of(tmp_path, "tds", "mondrian", "kactus", k="5\nl = 50")
    assert summary["best"] is None
    assert "No release of clinic.csv could be made" in page.text
    assert "0 releases were compared" in page.text
    assert "tds-k5-l50 : l = 50 was asked, but column 'diagnosis' has 8 different values" in page.text
    assert "The recipe also requires" in page.text  # of kactus, which has no l of its own
    assert not [tag for tag, attrs in page.tags if "plot" in attrs.get("class", "").split()]
    assert "A wrong role makes every promise worthless" in page.text


def test_figures_of_one_column_have_as_many_digits(tmp_path):
    summary, page = page_of(tmp_path, "tds", "mondrian", k="[5, 10, 20]")
    for row in summary["candidates"]:
        assert f" {100 * row['utility']:.1f} % " in page.text
        assert f" {row['privacy']:.1f} " in page.text
