# SPDX-License-Identifier: Apache-2.0
"""Releases with noise are made when they are paid for, once, from a budget that somebody set."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.studio.server_samples import take_sample

CHOSEN = "laplace-select-epsilon0.5"


@pytest.fixture
def own(at_home):
    """A project of baskets in which a release with noise was measured and chosen."""
    project = at_home.studio.project
    take_sample(project, "purchases")
    project.journal.decide(("promise", "epsilon"), 0.5, "epsilon")
    project.journal.decide(("methods",), ["laplace-select"], "methods")
    project.journal.decide(("chosen",), CHOSEN, "chosen")
    results = project.runs.study(project.run_name()) / "results"
    results.mkdir(parents=True)
    said = {"name": CHOSEN, "method": "laplace-select", "parameters": {"epsilon": 0.5}, "promise": "0.5-DP"}
    (results / f"{CHOSEN}.json").write_text(json.dumps(said | {"why_not_made": "It costs budget."}))
    return at_home


def test_a_budget_is_set_paid_from_and_never_exceeded(own):
    assert "set one in the ledger" in own.get("/release").text
    assert "Many choose" not in own.get("/ledger").text  # how much is the holder's to weigh
    assert "Set a budget first" in own.post("/release/pay").text
    for wrong in ("-1", "1000", "much"):
        assert own.post("/ledger/budget", data={"epsilon": wrong}).status_code == 422
    assert own.post("/ledger/budget", data={"epsilon": "0.7"}).status_code == 204
    assert "epsilon 0.7</b> of 0.7" in own.get("/ledger").text
    paid = own.post("/release/pay")
    assert paid.status_code == 204, paid.text
    assert "epsilon 0.2</b> of 0.7" in own.get("/ledger").text
    assert "cannot be drawn again" in own.get("/release").text
    assert own.post("/release/give/published").status_code == 204  # it is in the ledger already
    (entry,) = own.studio.project.ledger().entries()
    assert entry.budget.epsilon == 0.5


def test_two_tabs_pay_for_a_release_once(own):
    assert own.post("/ledger/budget", data={"epsilon": "2"}).status_code == 204
    with ThreadPoolExecutor(2) as tabs:
        answers = [*tabs.map(lambda _: own.post("/release/pay"), range(2))]
    for paid in (*answers, own.post("/release/pay")):
        assert (paid.status_code, paid.headers.get("HX-Redirect")) == (204, "/release"), paid.text
    assert [entry.budget.epsilon for entry in own.studio.project.ledger().entries()] == [0.5]
