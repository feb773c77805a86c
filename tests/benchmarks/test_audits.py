# SPDX-License-Identifier: Apache-2.0
"""A quick slice of the audits: with a few hundred runs, what they bound lies below the claim, and half the noise does
not hide."""

import numpy as np
import pytest
from benchmarks.audits import __main__ as command
from benchmarks.audits.readings import labels, persons, selection, selectors
from benchmarks.audits.steps import ROWS, Steps, accountant, by_likelihood, exact_counts, neighbour

from discreet.evaluate.audit import audit

CLAIM, FALSE_ALARM = 2.0, 1e-8


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_no_outcome_of_a_whole_release_is_likelier_than_claimed_and_some_nearly_are(relation):
    """Without a delta the bound holds outcome by outcome. Of a release with half the noise one in ten lies above."""
    bounds = []
    for times in (1, 2):
        made = Steps(accountant(CLAIM, 0.0, relation, times), ROWS, neighbour(ROWS, relation))
        bounds.append(by_likelihood({side: made.sample(side, 300) for side in (True, False)}, 0.0, FALSE_ALARM))
    assert CLAIM / 2 < bounds[0] <= CLAIM < bounds[1]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_whole_release_with_a_delta_is_not_refuted_and_its_counts_alone_cost_less(relation):
    made = Steps(accountant(CLAIM, 1e-5, relation), ROWS, neighbour(ROWS, relation))
    losses = {side: made.sample(side, 300) for side in (True, False)}
    assert by_likelihood(losses, 1e-5, FALSE_ALARM) <= CLAIM
    assert CLAIM / 2 < exact_counts(CLAIM, 1e-5, relation) <= CLAIM


def test_the_bound_by_likelihood_is_that_of_the_gaussian():
    """Losses of a Gaussian whose means are two standard deviations apart: epsilon at delta 0.1 is known exactly."""
    rng = np.random.default_rng(0)
    losses = {True: rng.normal(2, 2, 10**6), False: rng.normal(-2, 2, 10**6)}
    found = by_likelihood(losses, 0.1, FALSE_ALARM)
    assert 3.7 < found < 3.808  # 3.8079 by the formula of Balle and Wang
    half = {side: values / 2 for side, values in losses.items()}
    assert by_likelihood(half, 0.1, FALSE_ALARM) < found


@pytest.mark.parametrize("name", selectors())
def test_one_unknown_label_tells_nothing_more_than_claimed(name):
    method = selectors()[name]
    found = audit(lambda unknown, n: selection(method, labels(unknown), n), False, True, runs=400, false_alarm=1e-8)
    assert not found.refutes(0.5)


def test_a_row_without_an_id_tells_nothing_more_than_claimed():
    for epsilon in (1.0, 2.0):
        assert not audit(persons(epsilon, ids=False), False, True, runs=400, false_alarm=1e-8).refutes(epsilon)


def test_the_command_says_which_claim_is_refuted(monkeypatch, capsys):
    control = command.Line("less noise", 1.0, 1.5, "10", control=True)
    monkeypatch.setattr(command, "steps", lambda runs: iter([control]))
    for bound, status in ((0.5, 0), (1.5, 1)):
        line = command.Line("a claim", 1.0, bound, "10")
        monkeypatch.setattr(command, "readings", lambda runs, line=line: iter([line]))
        assert command.main([]) == status
        assert "less noise | 1 | 1.50 |  | 10 | refuted, as it must be" in capsys.readouterr().out
