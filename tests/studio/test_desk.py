# SPDX-License-Identifier: Apache-2.0
"""The desk answers questions about a table in a process of its own."""

import os
import signal

import pytest

from discreet.studio.desk import DIED, Desk

CSV = "age,sex,ill\n" + "".join(f"{30 + i % 7},{'fm'[i % 2]},{'yes' if i % 3 else 'no'}\n" for i in range(60))


@pytest.fixture(scope="module")
def desk():
    opened = Desk()
    yield opened
    opened.close()


@pytest.fixture
def about(tmp_path):
    (tmp_path / "people.csv").write_text(CSV)
    return {"path": str(tmp_path / "people.csv"), "reading": {}}


def asked(desk, question, **arguments):
    answer = desk.ask(question, **arguments)
    assert answer.within(60)
    return answer


def test_a_table_is_described(desk, about):
    found = asked(desk, "columns", **about).value
    assert found["rows"] == 60
    assert [column["kind"] for column in found["columns"]] == ["number", "category", "category"]
    assert sum(bar["rows"] for bar in found["columns"][0]["bars"]) == 60
    assert asked(desk, "rows", start=1, count=2, **about).value == [["31", "m", "yes"], ["32", "f", "yes"]]


def test_risks_are_those_of_the_library(desk, about):
    found = asked(desk, "identifiable", quasi=["age", "sex"], person=None, **about).value
    assert found["risk"]["groups"] == 14
    assert {one["column"]: one["without"] for one in found["changes"]} == {"age": 0, "sex": 0}


def test_the_same_question_is_asked_once(desk, about):
    assert desk.ask("columns", **about) is desk.ask("columns", **about)


def test_errors_of_discreet_are_answers(desk, tmp_path):
    answer = asked(desk, "columns", path=str(tmp_path / "nothing.csv"), reading={})
    assert answer.value is None
    assert "There is no file" in answer.refused


def test_what_waits_under_a_topic_is_replaced(desk, about):
    for start in range(30):
        last = desk.ask("rows", topic="page", start=start, count=1, **about)
    assert last.within(60)
    assert last.value == [["31", "m", "yes"]]


def test_a_desk_that_died_is_replaced(desk, about):
    asked(desk, "columns", **about)
    os.kill(desk._process.pid, signal.SIGKILL)
    desk._process.join()
    answer = desk.ask("rows", start=3, count=1, **about)
    assert answer.within(60)
    if answer.refused:  # it died while it was asked
        assert answer.refused == DIED
        answer = asked(desk, "rows", start=3, count=1, **about)
    assert answer.value == [["33", "m", "no"]]


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="priorities are not numbers on this system")
def test_pages_come_before_what_is_counted(desk, about):
    asked(desk, "columns", **about)
    assert os.getpriority(os.PRIO_PROCESS, desk._process.pid) > os.getpriority(os.PRIO_PROCESS, 0)
