# SPDX-License-Identifier: Apache-2.0
"""BreachAwareSelector: rankings, elimination and searches by made-up measures, against slow twins; what it releases."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from typer.testing import CliRunner

from discreet import BreachAwareSelector, CannotRelease, ParameterError, Roles, RolesError, Table, verify
from discreet.choose import from_folder
from discreet.cli.app import app
from discreet.learning.significance import TESTS
from discreet.learning.subset_scores import Answers, SubsetScores
from discreet.methods.breach.breach_aware import SearchResult
from discreet.methods.breach.breach_aware_measures import Watched, most_subsets
from discreet.methods.breach.breach_aware_rankings import (
    MeasuredSubset,
    categories,
    eliminate,
    merged,
    rankings,
    region,
)
from discreet.methods.breach.breach_aware_search import SEARCHES, SubsetScore, backward, floating, forward
from discreet.privacy import predictability as inference
from discreet.privacy.breach_increase import EMPIRICAL, SAME
from discreet.report.plots import region_plot

NAMES = ("a", "b", "c", "d")


class MadeUp:
    """Measures out of a table; counts what is asked."""

    def __init__(self, figures: dict[frozenset, tuple[int, int]], alpha: float = 0.0, least: int = 0):
        self.figures, self.attributes, self.alpha, self.least = figures, NAMES, alpha, least
        self.asked: list[tuple[str, ...]] = []
        self.dist_pbi = -3.0

    def of(self, subset):
        self.asked.append(tuple(subset))
        performance, pbi = self.figures[frozenset(subset)]
        return MeasuredSubset(tuple(subset), performance, pbi, pbi - self.alpha, keeps_up=performance >= self.least)

    def learn(self, subsets):
        pass

    @property
    def baseline(self):
        return self.of(self.attributes)


SUBSETS = [frozenset(s) for n in range(1, 5) for s in itertools.combinations(NAMES, n)]
FIGURES = st.lists(st.tuples(st.integers(0, 6), st.integers(-3, 3)), min_size=15, max_size=15).map(
    lambda figures: dict(zip(SUBSETS, figures, strict=True))
)


# -- rankings and elimination ------------------------------------------------------------------------------------------


def walk(kept, rest, accepts):
    """The elimination as a recursion: the last of `rest` is removed and stays so, or is put back for good."""
    if not rest:
        return []
    *others, last = rest
    left = kept - {last}
    if left and accepts(left):
        return [left, *walk(left, others, accepts)]
    return walk(kept, others, accepts)


@settings(max_examples=200, deadline=None)
@given(FIGURES, st.permutations(NAMES), st.integers(-3, 3), st.integers(0, 6))
def test_elimination_is_the_recursion(figures, order, alpha, least):
    measure = MadeUp(figures, alpha, least)
    found, trace = eliminate(order, measure, lambda c: c.keeps_up and c.is_private)
    expected = walk(frozenset(NAMES), list(order), lambda s: figures[s][0] >= least and figures[s][1] <= alpha)
    assert [frozenset(candidate.attributes) for candidate in found] == expected
    assert [step["attribute"] for step in trace if step["removed"]] == [
        (set(before) - set(after)).pop()
        for before, after in itertools.pairwise([NAMES, *(c.attributes for c in found)])
    ]


@settings(max_examples=100, deadline=None)
@given(FIGURES)
def test_rankings_are_the_definitions(figures):
    found = rankings(MadeUp(figures))
    everything = frozenset(NAMES)
    loss = {name: figures[everything][0] - figures[everything - {name}][0] for name in NAMES}
    risk = {name: figures[everything][1] - figures[everything - {name}][1] for name in NAMES}
    assert found.performance == tuple(sorted(NAMES, key=lambda name: (-loss[name], name)))
    assert found.privacy == tuple(sorted(NAMES, key=lambda name: (risk[name], name)))


def test_a_rejected_removal_is_put_back_and_the_next_attribute_is_tried():
    figures = dict.fromkeys(SUBSETS, (5, 0)) | {frozenset("abd"): (1, 0)}
    found, trace = eliminate(("a", "b", "d", "c"), MadeUp(figures, least=3), lambda c: c.keeps_up)
    assert [step["removed"] for step in trace] == [False, True, True, True]
    assert [c.attributes for c in found] == [("a", "b", "c"), ("a", "c"), ("c",)]


def test_a_single_attribute_is_never_removed():
    found, trace = eliminate(("a",), MadeUp({frozenset("a"): (1, 0)}), lambda c: True)
    assert found == []
    assert trace == []


@settings(max_examples=50, deadline=None)
@given(FIGURES)
def test_regions_and_categories_by_their_definitions(figures):
    measure = MadeUp(figures)
    base, candidates = measure.baseline, [measure.of(tuple(sorted(subset))) for subset in SUBSETS]
    for candidate in candidates:
        worse, riskier = candidate.performance < base.performance, candidate.pbi > 0
        assert region(candidate, base) == ("I" if riskier else "III") if worse else ("II" if riskier else "IV")
    table = {(f, g, h): "ABCDEFGH"[4 * f + 2 * g + h] for f in (0, 1) for g in (0, 1) for h in (0, 1)}
    for candidate, letter in zip(candidates, categories(candidates), strict=True):
        best = (
            int(all(candidate.performance >= other.performance for other in candidates)),
            int(all(candidate.pbi <= other.pbi for other in candidates)),
            int(all(candidate.size <= other.size for other in candidates)),
        )
        assert table[best] == letter


def test_merged_lists_hold_each_subset_once():
    one, two = (MeasuredSubset((name,), 0.5, 0.0, 0.0) for name in "ab")
    assert merged([one, two], [two, one]) == [one, two]


# -- searches by the score ---------------------------------------------------------------------------------------------


def neighbours(subset, larger):
    if larger:
        return [tuple(n for n in NAMES if n in subset or n == name) for name in NAMES if name not in subset]
    return [tuple(n for n in subset if n != name) for name in subset] if len(subset) > 1 else []


@settings(max_examples=150, deadline=None)
@given(FIGURES, st.sampled_from(["rank", "value"]), st.sampled_from([(0.5, 0.25, 0.25), (0.2, 0.6, 0.2), (1, 0, 0)]))
def test_a_search_ends_where_no_neighbour_is_better(figures, by, weights):
    measure, score = MadeUp(figures), SubsetScore(weights, by, guess=0.0, dist_pbi=-3.0, largest=4)
    for name, search in SEARCHES.items():
        path = search(measure, score, lambda c: True)
        subsets = [candidate.attributes for candidate in path]
        assert len(set(subsets)) == len(subsets)
        assert all(len(set(a) ^ set(b)) == 1 for a, b in itertools.pairwise(subsets))
        assert len(subsets[0]) == (4 if name == "backward" else 1)
        last = path[-1]
        for larger in {"forward": (True,), "backward": (False,), "floating": (True, False)}[name]:
            around = [measure.of(s) for s in neighbours(last.attributes, larger) if s not in subsets]
            if around:
                pool = [last, *around]
                scores = score.of(pool).exact_scores
                assert scores[0] >= max(scores[1:])


@settings(max_examples=60, deadline=None)
@given(FIGURES, st.integers(-3, 3))
def test_a_search_only_visits_what_is_allowed(figures, alpha):
    measure, score = MadeUp(figures, alpha), SubsetScore((0.4, 0.3, 0.3))
    for search in (forward, floating):
        assert all(candidate.pbi <= alpha for candidate in search(measure, score, lambda c: c.is_private))
    assert all(candidate.pbi <= alpha for candidate in backward(measure, score, lambda c: c.is_private)[1:])


@settings(max_examples=150, deadline=None)
@given(FIGURES, st.sampled_from(["rank", "value"]), st.integers(0, 6))
def test_a_search_ends_with_a_subset_that_keeps_up(figures, by, least):
    """Whatever the score: here one that only asks for few attributes."""
    figures = {**figures, frozenset(NAMES): (6, 0)}
    measure, score = MadeUp(figures, least=least), SubsetScore((0, 0, 1), by, guess=0.0, dist_pbi=-3.0, largest=4)
    for name, search in SEARCHES.items():
        path = search(measure, score, lambda c: True)
        assert path[-1].keeps_up
        if name == "forward":
            assert not any(candidate.keeps_up for candidate in path[:-1])
        if name == "backward":
            assert all(candidate.keeps_up for candidate in path)


def test_by_value_a_step_does_not_depend_on_the_other_neighbours():
    """By ranks the third wins, without the fourth the first; by values nothing changes."""
    perf, pbi, size = (7, 6, 6, 3), (7, 1, 5, 6), (5, 3, 2, 2)
    some = [MeasuredSubset(tuple("abcde"[:n]), p, b, 0.0) for p, b, n in zip(perf, pbi, size, strict=True)]
    rank, value = (SubsetScore((0.5, 0.25, 0.25), by, guess=0.0, dist_pbi=-3.0, largest=5) for by in ("rank", "value"))
    assert rank.best(some) != rank.best(some[:3])
    assert value.best(some) == value.best(some[:3])


# -- the method --------------------------------------------------------------------------------------------------------


def clinic(n=240, seed=1):
    """The class shows in sex and age, the illness in job and town."""
    rng = np.random.default_rng(seed)
    ill = rng.choice(["flu", "gout"], n, p=[0.6, 0.4])
    again = rng.choice(["no", "yes"], n)
    job = np.where(rng.random(n) < 0.8, np.where(ill == "gout", "smith", "nurse"), "clerk")
    town = np.where(rng.random(n) < 0.7, np.where(ill == "gout", "North", "South"), "East")
    sex = np.where(rng.random(n) < 0.8, np.where(again == "yes", "f", "m"), "d")
    age = np.where(again == "yes", 50, 30) + rng.integers(-15, 15, n)
    return Table.of({name: cells.tolist() for name, cells in vars_of(job, town, sex, age, ill, again).items()})


def vars_of(job, town, sex, age, ill, again):
    return {"job": job, "town": town, "sex": sex, "age": age, "ill": ill, "again": again}


ROLES = Roles(target="again", quasi=("job", "town", "sex", "age"), sensitive=("ill",))
QUICK = {"attackers": ("c45", "naive-bayes"), "folds": 5}


@pytest.mark.parametrize(
    ("search", "enforce"),
    [
        ("ranked", "filter"),
        ("forward", "strict"),
        ("forward", "filter"),
        ("backward", "filter"),
        ("floating", "strict"),
    ],
)
@pytest.mark.parametrize("score", ["rank", "value"])
def test_what_tells_the_illness_is_dropped_and_what_tells_the_class_is_kept(search, enforce, score):
    method = BreachAwareSelector(-0.2, search=search, enforce=enforce, score=score, weights=(0.5, 0.5, 0.0), **QUICK)
    release = method.release(clinic(), ROLES)
    assert set(release.roles.quasi) <= {"sex", "age"}
    kept = tuple(method.get_feature_names_out())
    assert all(candidate.keeps_up for candidate in method.candidates_ if candidate.attributes == kept)
    assert release.verdict.holds
    assert release.verdict.measured <= -0.2


@pytest.mark.parametrize("search", ["forward", "backward", "floating"])
def test_a_search_finds_something_with_equal_weights_too(search):
    """By ranks one attribute beats two, whatever they are: fewest attributes, and the safest of them."""
    method = BreachAwareSelector(-0.1, search=search, **QUICK).fit(clinic(), ROLES)
    assert set(method.get_feature_names_out()) == {"sex", "age"}


def test_the_steps_and_candidates_are_there_to_be_read():
    method = BreachAwareSelector(0.0, enforce="filter", learner="naive-bayes", **QUICK).fit(clinic(), ROLES)
    assert method.candidates_[0].attributes == ROLES.quasi
    assert method.candidates_[0].pbi == 0
    assert {*method.rankings_.performance[:2]} == {"sex", "age"}
    assert {*method.rankings_.privacy[2:]} == {"job", "town"}
    assert {step["ranking"] for step in method.trace_} == {"performance", "privacy"}
    assert tuple(method.get_feature_names_out()) in [candidate.attributes for candidate in method.candidates_]
    for candidate in method.candidates_:
        assert candidate.keeps_up


def test_it_is_a_selector_as_those_of_scikit_learn():
    method = BreachAwareSelector(-0.1, search="forward", **QUICK)
    with pytest.raises(NotFittedError):
        method.get_support()
    kept = method.fit_transform(clinic(), ROLES)
    assert method.support_.tolist() == [name in ("sex", "age") for name in ROLES.quasi]
    assert method.get_support(indices=True).tolist() == sorted(method.order_.tolist())
    assert method.get_feature_names_out().tolist() == [name for name in ROLES.quasi if name in ("sex", "age")]
    assert set(Table.of(kept).names) == {"sex", "age"}
    assert Table.of(kept).column("age").texts == Table.of(clinic()).column("age").texts


def test_strict_asks_at_every_step_and_filter_at_the_end():
    """Three attributes leave the breach as it is, two lower it: only who looks past the first step gets there."""
    figures = {subset: (5, 0 if len(subset) > 2 else -1) for subset in SUBSETS}
    strict, lax = (
        BreachAwareSelector(-0.5, enforce=enforce).search_with(MadeUp(figures, alpha=-0.5))
        for enforce in ("strict", "filter")
    )
    assert strict.chosen == []
    assert [c.attributes for c in strict.candidates] == [NAMES]
    assert {len(c.attributes) for c in lax.candidates} == {1, 2, 3, 4}
    assert {len(c.attributes) for c in lax.chosen} == {1, 2}


def test_the_strongest_attacker_has_the_last_word():
    """An attacker that the search did not know refuses what the search would have released."""
    rng = np.random.default_rng(0)
    ones, other = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    ill = np.where(ones ^ other, "gout", "flu")  # naive Bayes cannot see it, a tree can
    again = np.where(rng.random(400) < 0.9, ones, 1 - ones)
    table = Table.of({"one": ones.tolist(), "two": other.tolist(), "ill": ill.tolist(), "again": again.tolist()})
    roles = Roles(target="again", quasi=("one", "two"), sensitive=("ill",))
    blind, seeing = (
        BreachAwareSelector(-0.2 if len(attackers) > 1 else 0.0, attackers=attackers, folds=5)
        for attackers in (("naive-bayes",), ("naive-bayes", "tree"))
    )
    assert blind.promise.inference(table, ("one", "two"), "ill").of(("one", "two")).accuracy < 0.65
    assert seeing.promise.inference(table, ("one", "two"), "ill").of(("one", "two")).accuracy == 1.0
    both = MeasuredSubset(("one", "two"), 0.9, 0.0, 0.0)
    one = MeasuredSubset(("one",), 0.9, 0.0, 0.0)
    searched = SearchResult(both, [both, one], SubsetScore((0.4, 0.3, 0.3)), [both, one])
    assert seeing._audited(searched, table, roles) == (one, 2)
    assert blind._audited(searched, table, roles) == (both, 1)


def test_where_the_class_is_sensitive_the_owner_is_warned(tmp_path):
    roles = Roles(target="again", quasi=ROLES.quasi, sensitive=("again",))
    release = BreachAwareSelector(0.0, **QUICK).release(clinic(), roles)
    folder = release.save(tmp_path / "out")
    assert verify(folder / "release", owner=folder / "owner").verdict == release.verdict
    told = CliRunner().invoke(app, ["verify", str(folder / "release")]).stdout
    assert all(f"  measured   {note}\n" in told for note in (EMPIRICAL, SAME))
    assert SAME in release.verdict.notes
    assert EMPIRICAL in release.verdict.notes


def counted(monkeypatch) -> list[tuple[str, tuple[int, ...]]]:
    """Learner and subset of everything that is learnt from now on."""
    learnt, learn = [], SubsetScores._learn

    def noted(self, subsets):
        learnt.extend((self.learner, places) for places in dict.fromkeys(subsets) if places not in self._cached)
        learn(self, subsets)

    monkeypatch.setattr(SubsetScores, "_learn", noted)
    monkeypatch.setattr(inference, "_REMEMBERED", {})
    return learnt


def test_attackers_learn_once_for_the_choice_the_check_and_the_saved_files(monkeypatch, tmp_path):
    learnt = counted(monkeypatch)
    method = BreachAwareSelector(0.0, learner="c45", attackers=("naive-bayes", "tree"), folds=3)
    release = method.release(clinic(), ROLES)
    attackers = [(name, places) for name, places in learnt if name != "c45"]
    assert ("naive-bayes", (0, 1, 2, 3)) in attackers
    assert len(attackers) == len(set(attackers))
    learnt.clear()
    release.save(tmp_path / "out")
    assert learnt == []
    monkeypatch.setattr(inference, "_REMEMBERED", {})  # another process learns anew, and finds the same
    again = verify(tmp_path / "out" / "release", owner=tmp_path / "out" / "owner").verdict
    assert (again.holds, again.measured) == (release.verdict.holds, release.verdict.measured)
    assert learnt


def test_other_rows_are_not_answered_from_memory(monkeypatch):
    counted(monkeypatch)
    one = clinic()
    other = one.take(np.arange(len(one) - 7))
    asked = {"attackers": ("naive-bayes",), "folds": 3}
    first = inference.Inference(one, ROLES.quasi, "ill", **asked).of(["job"])
    assert inference.Inference(other, ROLES.quasi, "ill", **asked).of(["job"]).rows == first.rows - 7
    assert inference.Inference(one.take(np.arange(len(one))[::-1]), ROLES.quasi, "ill", **asked).of(["job"]) is first
    assert inference.Inference(one, ROLES.quasi, "ill", attackers=("naive-bayes",), folds=4).of(["job"]) is not first


def test_where_the_class_is_sensitive_recipient_and_attacker_learn_once(monkeypatch):
    learnt = counted(monkeypatch)
    roles = Roles(target="again", quasi=ROLES.quasi, sensitive=("again",))
    measures = BreachAwareSelector(learner="naive-bayes", **QUICK).measures(clinic(), roles)
    found = measures.of(("sex",))
    assert len(learnt) == len(set(learnt)) == 2
    assert found.pbi == pytest.approx(found.performance / measures.baseline.performance - 1)


@settings(max_examples=60, deadline=None)
@given(FIGURES, st.sampled_from(["ranked", "forward", "backward"]), st.sampled_from(["performance", "both"]))
def test_the_progress_bar_counts_each_subset_once_and_knows_a_bound(figures, search, ranking):
    steps = []
    measures = Watched(MadeUp(figures, alpha=9.0), lambda: steps.append(1))
    if search == "ranked":
        found = rankings(measures)
        for order in (found.performance, found.privacy)[: 1 if ranking == "performance" else 2]:
            eliminate(order, measures, lambda c: c.performance > 2)
    else:
        SEARCHES[search](measures, SubsetScore((0.5, 0.25, 0.25)), lambda c: True)
    assert 0 < len(steps) <= most_subsets(4, search, 1 if ranking == "performance" else 2)


def test_several_sensitive_columns_must_all_be_kept(tmp_path):
    table = clinic()
    town = Roles(target="again", quasi=("job", "sex", "age"), sensitive=("ill", "town"))  # the table has town first
    release = BreachAwareSelector(-0.05, **QUICK).release(table, town)
    assert len(release.verdict.parts) == 2
    assert all(part.measured <= -0.05 for part in release.verdict.parts)
    assert "job" not in release.columns
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out" / "release", owner=tmp_path / "out" / "owner").verdict == release.verdict
    assert from_folder(tmp_path / "out").measures["privacy"] == release.verdict.measured


@pytest.mark.parametrize("test", ["paired-t", "corrected-resampled", "equivalence"])
def test_a_candidate_keeps_up_by_the_test_that_was_asked_for(test):
    method = BreachAwareSelector(1.0, enforce="filter", test=test, margin=0.02, **QUICK).fit(clinic(), ROLES)
    base = method.candidates_[0]
    for candidate in method.candidates_[1:]:
        assert candidate.performance >= base.performance or candidate.p_value > (0.0 if test == "equivalence" else 0.05)


def answers(*right_of_folds, rows=40):
    right = np.concatenate([np.arange(rows) < right for right in right_of_folds])
    return Answers(right, np.arange(len(right)), rows * np.arange(1, len(right_of_folds) + 1))


def test_equivalence_is_to_be_shown_whoever_is_ahead():
    all_of_them, erratic, alike = answers(30, 30, 30, 30, 30), answers(40, 22, 40, 22, 30), answers(31, 30, 30, 30, 30)
    kept = {
        test: [
            BreachAwareSelector(test=test, margin=0.02, **QUICK).measures(clinic(), ROLES)._keeps_up(new, all_of_them)
            for new in (erratic, alike, all_of_them)
        ]
        for test in TESTS
    }
    assert erratic.n_right > all_of_them.n_right
    assert kept == {
        "paired-t": [True, True, True],
        "corrected-resampled": [True, True, True],
        "equivalence": [False, True, True],
    }


@pytest.mark.parametrize("score", ["rank", "value"])
def test_the_candidates_are_there_to_be_chosen_from_and_drawn(score):
    method = BreachAwareSelector(0.0, score=score, weights=(0.5, 0.25, 0.25), **QUICK).fit(clinic(), ROLES)
    choice = method.choice_
    assert [c.measures["pbi"] for c in choice.candidates] == [c.pbi for c in method.candidates_]
    assert [c.name for c in choice.candidates[:2]] == ["baseline", " + ".join(method.candidates_[1].attributes)]
    drawn = region_plot(choice, "performance", "pbi", "baseline")["data"]["values"]
    here = [region(candidate, method.candidates_[0]) for candidate in method.candidates_]
    assert [point["region"].split(":")[0].split()[0] for point in drawn] == here
    scales = {"dist_pbi": choice.meanings["pbi"].scale[1], **method._scales(clinic(), ROLES)}
    judged = SubsetScore((0.5, 0.25, 0.25), score, **scales).of(method.candidates_)
    assert judged.exact_scores == choice.evaluation.exact_scores


def test_what_cannot_be_asked_is_said():
    table = clinic()
    with pytest.raises(RolesError, match="needs a sensitive column"):
        BreachAwareSelector(**QUICK).release(table, Roles(target="again", quasi=("sex",)))
    named = table.with_columns([Table.of({"job": [f"job {i}" for i in range(240)]}).column("job")])
    with pytest.raises(RolesError, match="they would work like names"):
        BreachAwareSelector(**QUICK).release(named, ROLES)
    with pytest.raises(ParameterError, match="Did you mean 'c45'"):
        BreachAwareSelector(learner="c4", **QUICK).release(table, ROLES)
    with pytest.raises(ParameterError, match="The weights must sum to 1"):
        BreachAwareSelector(weights=(1, 1, 1), **QUICK).release(table, ROLES)
    with pytest.raises(ParameterError, match="'weights' are three"):
        BreachAwareSelector(weights=(0.5, 0.5), **QUICK).release(table, ROLES)
    with pytest.raises(ParameterError, match="'weights' are three"):
        BreachAwareSelector(weights=(0.5, 0.5), score="value", **QUICK).release(table, ROLES)
    with pytest.raises(ParameterError, match="'cuts' names 'il'"):
        BreachAwareSelector(cuts={"il": [3]}, **QUICK).release(table, ROLES)
    poor = MeasuredSubset(("sex",), 0.5, -0.4, -0.2, keeps_up=False)
    worse = SearchResult(MeasuredSubset(ROLES.quasi, 0.9, 0.0, 0.2), [poor], SubsetScore((0, 0.5, 0.5)))
    assert "1 kept alpha by 'c45', but 1 of them predict the class worse" in BreachAwareSelector()._why_none(worse, 2)
    with pytest.raises(CannotRelease, match=r"was found that keeps a breach increase of at most -90 %.*was -.* %, of"):
        BreachAwareSelector(-0.9, **QUICK).release(table, ROLES)
    with pytest.raises(CannotRelease, match="or enforce='filter', which asks for alpha at the end"):
        BreachAwareSelector(-0.9, enforce="strict", **QUICK).release(table, ROLES)
