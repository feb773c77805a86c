# SPDX-License-Identifier: Apache-2.0
"""Every public `random_state` is as in scikit-learn: None, a whole number, a RandomState, and a Generator of NumPy."""

import importlib
import inspect
import pkgutil
import typing

import numpy as np
import pytest

import discreet as ds
from discreet.attacks import Case, Published
from discreet.evaluate.audit import audit_mechanism
from discreet.evaluate.detail import measure_detail
from discreet.evaluate.folds import Folds
from discreet.evaluate.utility import holdout
from discreet.foundation.randomness import RandomState
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import five_by_two, kfold
from discreet.mechanisms import Geometric
from discreet.methods import METHODS
from instances import INSTANCES, baskets, people
from instances import ROLES as PEOPLE

ROWS = {"age": [21, 22, 23, 61, 62, 63] * 10, "sex": ["f", "m"] * 30, "y": [0, 0, 0, 1, 1, 1] * 10}
ROLES = ds.Roles(target="y", quasi=["age", "sex"])
INSIDE = (  # these are handed a seed that was drawn before
    "discreet.attacks.membership.simulated",
    "discreet.evaluate.folds.Folds",
    "discreet.evaluate.lessons.",
    "discreet.evaluate.own_test_rows.",
    "discreet.learning.own_classifiers.",
    "discreet.study.tasks.",
)


def states(seed):
    """Pairs of equal states."""
    return [(seed, seed), (np.int64(seed), seed)] + [
        (make(seed), make(seed)) for make in (np.random.RandomState, np.random.default_rng)
    ]


def signatures():
    """Every public function, class and method of a public class with a `random_state`, with the hint of it."""
    for module in pkgutil.walk_packages(ds.__path__, "discreet."):
        if module.name.startswith(("discreet.cli", "discreet.__main__")):
            continue
        loaded = importlib.import_module(module.name)
        for name, thing in vars(loaded).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != module.name or not callable(thing):
                continue
            called = [(name, thing)]
            if inspect.isclass(thing):
                called += [(f"{name}.{m}", f) for m, f in vars(thing).items() if inspect.isfunction(f) and m[0] != "_"]
            for where, function in called:
                try:
                    parameters = inspect.signature(function).parameters
                except (TypeError, ValueError):
                    continue
                if "random_state" in parameters:
                    yield f"{module.name}.{where}", function


def test_every_public_signature_takes_what_scikit_learn_takes():
    found = dict(signatures())
    assert len(found) > 40
    wrong = []
    for where, function in found.items():
        made = function.__init__ if inspect.isclass(function) else function
        hint = typing.get_type_hints(made).get("random_state")
        if hint not in (typing.Any, RandomState) and not where.startswith(INSIDE):
            wrong.append((where, hint))
    assert not wrong, wrong


CALLS = {
    "clinic": lambda state: ds.samples.clinic(20, state).data.to_arrow(),
    "waveform": lambda state: ds.samples.waveform(20, 21, state).data.to_arrow(),
    "quest": lambda state: ds.samples.quest(20, random_state=state).data.matrix.indices.tolist(),
    "kfold": lambda state: [fold.test.tolist() for fold in kfold(9, 3, state)],
    "five_by_two": lambda state: [fold.test.tolist() for fold in five_by_two(8, state)],
    "Folds": lambda state: [fold.test.tolist() for fold in Folds.of("2-fold", state).split(np.arange(8) % 2)],
    "audit_mechanism": lambda state: audit_mechanism(
        Geometric(sensitivity=1, epsilon=1.0), runs=200, random_state=state
    ),
    "holdout": lambda state: holdout(ds.Mondrian(k=3, random_state=1), ROWS, ROLES, random_state=state),
    "measure_detail": lambda state: measure_detail(
        ds.Mondrian(k=3, random_state=1), ROWS, ROLES, random_state=state
    ).to_dict(),
    "evaluate_utility": lambda state: ds.evaluate_utility(
        ds.Mondrian(k=3), ROWS, ROLES, folds="2-fold", classifiers="naive-bayes", random_state=state
    ).to_dict(),
    "attack": lambda state: ds.attack(
        ds.Mondrian(k=3, random_state=1).release(ROWS, ROLES),
        ROWS,
        attacks=["singling-out"],
        random_state=state,
        targets=20,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_equal_states_give_equal_results(name):
    results = [[CALLS[name](state) for state in pair] for pair in states(5)]
    for one, other in results:
        assert one == other
    CALLS[name](None)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_take_every_state(name):
    """Equal generators give equal releases; the owner keeps the seed that was drawn, the certificate none."""
    instance = next(one for one in INSTANCES.values() if type(one.make(5)) is METHODS[name])
    data, roles = baskets() if "baskets" in METHODS[name].takes else (people(), PEOPLE)
    for one, other in states(5)[2:]:
        methods = [instance.make(5, seed=state) for state in (one, other)]
        if isinstance(methods[0].promise, ds.DifferentialPrivacy):  # with a seed it is a simulation
            with pytest.raises(ds.CannotRelease, match="seed"):
                methods[0].release(data, roles)
            continue
        releases = [method.release(data, roles) for method in methods]
        assert releases[0].content.equals(releases[1].content)
        assert releases[0].owner.seed == releases[1].owner.seed
        assert isinstance(releases[0].owner.seed, int)
        assert "random_state" not in releases[0].certificate.method.parameters


def test_classifiers_take_every_state():
    table = ds.Table.of(ROWS)
    for name, make in CLASSIFIERS.items():
        shares = []
        for _ in range(2):
            learner = make(random_state=np.random.RandomState(1))
            learner.fit(examples_for(learner, table, ["age", "sex"], "y"))
            shares.append(learner.predict_proba(table).tolist())
        assert shares[0] == shares[1], name


def test_a_case_without_a_seed_draws_one():
    release = ds.Mondrian(k=3).release(ROWS, ROLES)
    cases = [
        Case(Published.of(release), None, ROLES, random_state=state) for state in (None, 3, np.random.RandomState(3))
    ]
    assert all(isinstance(case.random_state, int) for case in cases)
    assert cases[1].random_state == 3


@pytest.mark.parametrize("wrong", ["7", 7.5, True])
def test_anything_else_is_refused(wrong):
    with pytest.raises((ds.ParameterError, TypeError), match=r"random_state|seed"):
        ds.Mondrian(k=3, random_state=wrong).release(ROWS, ROLES)
    with pytest.raises(TypeError, match="seed"):
        ds.evaluate_utility(ds.Mondrian(k=3), ROWS, ROLES, random_state=wrong)
