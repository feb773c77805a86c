# SPDX-License-Identifier: Apache-2.0
"""A study gives what its parts give, whatever threads, caches and interruptions there are."""

import os
import random
import subprocess
import sys
import threading
import warnings
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import discreet as ds
from discreet import (
    Baskets,
    DataError,
    GreedySelector,
    KAdet,
    Mondrian,
    ParameterError,
    PrivateTable,
    RandomFlip,
    RolesError,
    Table,
    TreeLadder,
)
from discreet.evaluate import cross_evaluation as study
from discreet.evaluate.compared_methods import seeded
from discreet.evaluate.cross_evaluation import evaluate_utility, label
from discreet.evaluate.evaluation import ORIGINAL
from discreet.evaluate.folds import Folds
from discreet.evaluate.score_cache import Cache, Refusal
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import cross_validate, kfold, score_on
from discreet.learning.naive_bayes import NaiveBayes
from instances import DOMAIN, MARKERS, PERSON_ROLES, ROLES, baskets, people

TWO = {"mondrian": Mondrian(5, split="information"), "flip": GreedySelector(5)}
QUICK = {"folds": "3-fold", "classifiers": ("naive-bayes", "tree")}


class Counting(Mondrian):
    """Remembers the rows that it was shown, of all its copies."""

    name = ""
    shown: list = []  # noqa: RUF012

    def release(self, data, roles=None, *, y=None, account=None):
        Counting.shown.append(data.data)
        return super().release(data, roles, y=y)


def outcomes(found):
    return dict(found.outcomes)


# -- what is measured


def test_holdout_is_what_one_would_write_by_hand():
    found = evaluate_utility(Mondrian(5, random_state=3), people(), ROLES, protocol="recoded", **QUICK)
    table = Table.of(people()).select(ROLES.named)
    for place, fold in enumerate(kfold(len(table), 3, 0, labels=table.column("again").codes)):
        release = Mondrian(5, random_state=3).release(table.take(fold.train), ROLES)
        for name in QUICK["classifiers"]:
            model = CLASSIFIERS[name]()
            features = [column for column in release.columns if column != "again"]
            model.fit(examples_for(model, release.table, features, "again"))
            by_hand = score_on(model, release.recode(table.take(fold.test)), "again")
            assert found.scores("mondrian(k=5)", name).folds[place] == by_hand


def test_the_original_is_cross_validated_on_the_same_folds():
    rows = people()  # of two common values a column has one preparation only: see test_original_lesson.py
    for name in rows.columns.drop("again"):
        rows[name] = np.where(rows[name].rank(pct=True) > 0.5, "more", "less")
    found = evaluate_utility(Mondrian(5), rows, ROLES, folds="5x2", classifiers=["naive-bayes"], random_state=4)
    table = Table.of(rows)
    features = [name for name in ROLES.published if name != "again"]
    folds = kfold(len(table), 2, 4, labels=table.column("again").codes, repeats=5)
    assert found.scores(ORIGINAL, "naive-bayes") == cross_validate(NaiveBayes, table, features, "again", folds)


def test_a_method_sees_the_training_rows_only_and_once_in_each_fold():
    table = people().assign(stay=np.arange(160))
    Counting.shown = []
    evaluate_utility({"spy": Counting(5)}, table, replace(ROLES, allow_unique=("stay",)), **QUICK)
    coded = Table.of(table)
    folds = kfold(160, 3, 0, labels=coded.column("again").codes)
    assert len(Counting.shown) == len(folds)  # though two classifiers learnt from each
    for seen, fold in zip(Counting.shown, folds, strict=True):
        assert sorted(seen.column("stay").to_arrow().to_pylist()) == fold.train.tolist()


def test_as_published_a_method_sees_all_rows_once():
    Counting.shown = []
    evaluate_utility({"spy": Counting(5)}, people(), ROLES, protocol="as-published", **QUICK)
    assert [len(seen) for seen in Counting.shown] == [160]


def test_nobody_is_on_both_sides():
    Counting.shown = []
    found = evaluate_utility({"spy": Counting(5)}, people(), PERSON_ROLES, folds="4-fold", classifiers="naive-bayes")
    everyone = Table.of(people()).column("who")
    taught = [set(seen.column("who").texts) for seen in Counting.shown]
    folds = kfold(160, 4, 0, labels=Table.of(people()).column("again").codes, persons=everyone.codes)
    for names, fold in zip(taught, folds, strict=True):
        assert names.isdisjoint(np.array(everyone.texts)[everyone.codes[fold.test]])
    assert found.units == "persons"
    assert "persons kept whole" in found.heading()


def test_labels_that_depend_on_nothing_flatter_who_saw_them():
    """On 60 rows the honest protocols find little; as published, a method that fits labels seems to know them."""
    rng = np.random.default_rng(8)
    cells = {f"c{j}": rng.choice(["a", "b", "c"], 60) for j in range(12)}
    table = Table.of(cells | {"y": rng.permutation(np.repeat(["no", "yes"], 30))})
    roles = ds.Roles(target="y", quasi=list(cells))
    auc = {
        protocol: evaluate_utility(
            Mondrian(3, split="information"), table, roles, protocol=protocol, folds="5-fold", classifiers="naive-bayes"
        ).mean("mondrian(k=3, split=information)", "naive-bayes", "auc")
        for protocol in ("holdout", "recoded", "as-published")
    }
    assert auc["as-published"].value > 0.7
    assert auc["holdout"].value < 0.6
    assert auc["recoded"].value < 0.6


# -- refusals


def test_a_method_that_cannot_release_is_recorded():
    methods = {"much": Mondrian(150), "some": Mondrian(5), "unread": RandomFlip(5)}
    found = evaluate_utility(methods, people(), ROLES, **QUICK)
    assert "no release in 3 of 3 folds. k = 150 was asked" in found.refusal("much")
    assert "not say what they mean" in found.refusal("unread")
    assert found.refusal("some") is None
    with pytest.raises(DataError, match="much has no scores: no release in 3 of 3 folds"):
        found.scores("much", "tree")
    with pytest.raises(DataError, match="much has no scores"):
        found.difference("some", "tree", other="much")
    assert "much: no release in 3 of 3 folds" in found.table()
    assert isinstance(found.outcomes["much", "tree"][0], Refusal)
    assert "Rare-7731" not in str(found)


def test_a_release_in_some_folds_only_has_no_mean():
    found = evaluate_utility(Mondrian(5), people(), ROLES, **QUICK)
    name = "mondrian(k=5)"
    mixed = (Refusal("because"), *found.outcomes[name, "tree"][1:])
    partly = replace(found, outcomes={**found.outcomes, (name, "tree"): mixed, (name, "naive-bayes"): mixed})
    assert partly.refusal(name) == "no release in 1 of 3 folds. because"
    with pytest.raises(DataError, match="1 of 3"):
        partly.mean(name, "tree")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"protocol": "honest"}, "'protocol' must be one of"),
        ({"protocol": "hold-out"}, "Did you mean 'holdout'"),
        ({"folds": "ten"}, "'folds' must be"),
        ({"classifiers": ["c4.5"]}, "Did you mean 'c45'"),
        ({"classifiers": []}, "'classifiers' must be"),
        ({"n_jobs": 0}, "'n_jobs' must be"),
        ({"n_jobs": True}, "'n_jobs' must be"),
        ({"methods": []}, "Give methods, under any name"),
        ({"methods": {"original": Mondrian(5)}}, "any name but 'original'"),
        ({"methods": [Mondrian(5), Mondrian(5)]}, "Two methods are the same"),
        ({"methods": {"x": "mondrian"}}, "Give methods, under any name"),
    ],
)
def test_what_is_asked_wrongly_is_named(change, match):
    asked = {"methods": Mondrian(5), "data": people(), "roles": ROLES} | QUICK | change
    with pytest.raises(ParameterError, match=match):
        evaluate_utility(asked.pop("methods"), asked.pop("data"), asked.pop("roles"), **asked)


def test_data_and_methods_must_fit():
    with pytest.raises(DataError, match="'mondrian\\(k=5\\)' cannot release it"):
        evaluate_utility([GreedySelector(5), Mondrian(5)], Baskets.of(*baskets()))
    with pytest.raises(RolesError):
        evaluate_utility(Mondrian(5), people())


def test_a_wrong_parameter_is_the_callers_mistake():
    with pytest.raises(ParameterError, match="split"):
        evaluate_utility(Mondrian(5, split="nonsense"), people(), ROLES, **QUICK)


# -- the same whatever happens


def test_threads_do_not_change_figures():
    one, three = (evaluate_utility(TWO, people(), ROLES, **QUICK, n_jobs=jobs) for jobs in (1, 3))
    assert outcomes(one) == outcomes(three)


def test_threads_leave_warnings_and_limits_as_they_were():
    before = list(warnings.filters)
    evaluate_utility(TWO, people(), ROLES, folds="3-fold", classifiers=("logistic", "svm"), n_jobs=4)
    assert warnings.filters == before


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(study, "held_out", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        evaluate_utility(TWO, people(), ROLES, **QUICK, n_jobs=2)


def test_methods_that_draw_cells_can_be_repeated_and_differ_between_folds():
    data = Baskets.of(*baskets())
    one, again, other = (evaluate_utility(RandomFlip(5), data, **QUICK, random_state=seed) for seed in (1, 1, 2))
    assert outcomes(one) == outcomes(again) != outcomes(other)
    tasks = [seeded(RandomFlip(5), 1, (fold,)).random_state for fold in range(3)]
    assert len(set(tasks)) == 3
    assert seeded(RandomFlip(5, random_state=9), 1, (0,)).random_state == 9
    assert seeded(PrivateTable(1.0, DOMAIN), 1, (0,)).random_state is None


def test_a_kept_study_makes_no_release_and_gives_the_same(tmp_path):
    Counting.shown = []
    methods = {"spy": Counting(5), "tree": KAdet(5), "much": Mondrian(150)}
    first = evaluate_utility(methods, people(), ROLES, **QUICK, cache=tmp_path / "kept")
    made = len(Counting.shown)
    again = evaluate_utility(methods, people(), ROLES, **QUICK, cache=tmp_path / "kept", n_jobs=2)
    assert outcomes(first) == outcomes(again)
    assert len(Counting.shown) == made == 3
    plain = evaluate_utility(methods, people(), ROLES, **QUICK)
    assert outcomes(plain) == outcomes(first)
    assert again.models == {"tree"}
    assert again.scores("tree", "tree") == again.scores("tree", "naive-bayes")


def test_only_what_is_new_is_measured(tmp_path):
    cache = Cache(tmp_path / "kept")
    evaluate_utility(Mondrian(5), people(), ROLES, folds="3-fold", classifiers="naive-bayes", cache=cache)
    assert cache.summary().entries == 9  # the original, without quasi-identifiers, a method; three folds
    evaluate_utility(Mondrian(5), people(), ROLES, folds="3-fold", classifiers=("naive-bayes", "tree"), cache=cache)
    assert cache.summary().entries == 18
    evaluate_utility([Mondrian(5), Mondrian(6)], people(), ROLES, folds="3-fold", classifiers="tree", cache=cache)
    assert cache.summary().entries == 21
    changes = [{"random_state": 1}, {"folds": "4-fold"}, {"protocol": "recoded"}]
    for change in changes:
        before = cache.summary().entries
        evaluate_utility(
            Mondrian(5), people(), ROLES, **({"folds": "3-fold", "classifiers": "tree"} | change), cache=cache
        )
        assert cache.summary().entries > before, change
    before = cache.summary().entries
    other = people()
    other.iloc[0, other.columns.get_loc("stay")] += 1
    evaluate_utility(Mondrian(5), other, ROLES, folds="3-fold", classifiers="tree", cache=cache)
    assert cache.summary().entries == before + 9


def test_who_shares_a_cache_measures_the_original_once(tmp_path, monkeypatch):
    """The second begins while the first measures a fold, takes the other folds, and waits for that one."""
    really, folds, rest_done = study.original, [], threading.Event()
    asked = {"folds": "3-fold", "classifiers": "naive-bayes"}
    second = []
    other = threading.Thread(
        target=lambda: second.append(evaluate_utility(Mondrian(6), people(), ROLES, **asked, cache=tmp_path / "kept"))
    )

    def measured(train, test):
        folds.append(len(folds))
        if len(folds) == 1:
            other.start()
            assert rest_done.wait(600)  # never, if it waits for this fold
        elif len(folds) == 3:
            rest_done.set()
        return really(train, test)

    monkeypatch.setattr(study, "original", measured)
    monkeypatch.setattr(study, "_quiet", nullcontext)  # which is for one process, not for threads
    first = evaluate_utility(Mondrian(5), people(), ROLES, **asked, cache=tmp_path / "kept")
    other.join()
    assert len(folds) == 3
    assert len(second) == 1
    alone = evaluate_utility(Mondrian(5), people(), ROLES, **asked)
    for found in (first, *second):
        assert found.outcomes[ORIGINAL, "naive-bayes"] == alone.outcomes[ORIGINAL, "naive-bayes"]


def test_the_cache_holds_no_private_value(tmp_path):
    evaluate_utility([Mondrian(5), RandomFlip(5), Mondrian(150)], people(), ROLES, **QUICK, cache=tmp_path / "kept")
    held = b"".join(path.read_bytes() for path in (tmp_path / "kept").rglob("*") if path.is_file())
    for value in (*MARKERS, "North", "smith", "gout"):  # whole: a few digits are in a hash or a float now and then
        assert value.encode() not in held
    assert all(path.stat().st_size < 1000 for path in (tmp_path / "kept").rglob("*.json"))


def test_a_changed_source_starts_anew(tmp_path, monkeypatch):
    asked = {"folds": "3-fold", "classifiers": "naive-bayes", "cache": Cache(tmp_path / "kept")}
    evaluate_utility(Mondrian(5), people(), ROLES, **asked)
    monkeypatch.setattr(study, "source_of", lambda cls: "another")
    evaluate_utility(Mondrian(5), people(), ROLES, **asked)
    assert asked["cache"].summary().entries == 18


def test_a_function_as_parameter_cannot_be_kept_but_measured(tmp_path):
    method = GreedySelector(5, utility=lambda kept: kept.matrix.nnz)
    data = Baskets.of(*baskets())
    with pytest.raises(ParameterError, match="without a cache"):
        evaluate_utility(method, data, folds="3-fold", classifiers="naive-bayes", cache=tmp_path / "kept")
    assert evaluate_utility({"own": method}, data, folds="3-fold", classifiers="naive-bayes").refusal("own") is None


def test_an_interruption_at_any_moment_changes_nothing(tmp_path, monkeypatch):
    asked = QUICK | {"n_jobs": 2}
    whole = evaluate_utility(TWO, people(), ROLES, **QUICK)
    total, put = 24, Cache.put
    for seed in range(4):
        drawn, folder = random.Random(seed), tmp_path / f"kept{seed}"
        while True:
            left = [drawn.randrange(1, total)]

            def failing(self, *arguments, left=left):
                if left[0] == 0:
                    raise KeyboardInterrupt
                left[0] -= 1
                return put(self, *arguments)

            monkeypatch.setattr(Cache, "put", failing)
            try:
                found = evaluate_utility(TWO, people(), ROLES, **asked, cache=folder)
                break
            except KeyboardInterrupt:
                assert 0 < Cache(folder).summary().entries <= total
        monkeypatch.setattr(Cache, "put", put)
        assert outcomes(found) == outcomes(whole)


STUDY = """
import os, sys, time
sys.path.insert(0, sys.argv[2])
from test_cross_evaluation import QUICK, ROLES, TWO, Cache, evaluate_utility, people
left, put = int(sys.argv[3]), Cache.put

def wait(*_):
    print("half-written", flush=True)
    time.sleep(600)

def hanging(self, *arguments):
    global left
    if left == 0:
        os.replace = wait
    left -= 1
    put(self, *arguments)

Cache.put = hanging
evaluate_utility(TWO, people(), ROLES, **QUICK, cache=sys.argv[1])
"""


def test_a_killed_process_leaves_what_was_done(tmp_path):
    """Killed while it writes an entry: those before it are kept, and the next process goes on after them."""
    folder, done = tmp_path / "kept", random.Random(5).randrange(1, 6)
    here = Path(__file__).parent
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(here.parent), *sys.path])}
    asked = [sys.executable, "-c", STUDY, str(folder), str(here), str(done)]
    with subprocess.Popen(asked, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "half-written\n"
        finally:
            process.kill()
    assert Cache(folder).summary().entries == len(list(folder.glob("*/*.json"))) == done
    assert list(folder.glob("*/.partial-*"))
    found = evaluate_utility(TWO, people(), ROLES, **QUICK, cache=folder)
    assert outcomes(found) == outcomes(evaluate_utility(TWO, people(), ROLES, **QUICK))


# -- names and baskets


def test_names_say_what_is_not_as_by_default():
    assert label(TreeLadder(5)) == "tree-ladder(k=5)"
    assert label(GreedySelector(5, utility="distcnt", random_state=3)) == "greedy(k=5, utility=distcnt)"
    assert label(PrivateTable(2.0, DOMAIN)) == "private-table(epsilon=2.0, domain=given)"


def test_baskets_are_evaluated_too():
    data = Baskets.of(*baskets())
    found = evaluate_utility(
        GreedySelector(5, utility="distcnt"), data, folds="4-fold", classifiers=("c45", "logistic")
    )
    name = "greedy(k=5, utility=distcnt)"
    assert found.mean(name, "logistic", "auc").value > 0.6
    assert found.n_rows == 150
    assert found.folds == Folds(1, 4, 0)


def test_it_is_a_public_name():
    assert ds.evaluate_utility is evaluate_utility
