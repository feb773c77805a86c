# SPDX-License-Identifier: Apache-2.0
"""The journal of a project."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DataError
from discreet.studio.journal import Journal


def test_a_project_goes_on_where_it_was(tmp_path):
    journal = Journal.opened(tmp_path / "journal.jsonl")
    journal.decide(("roles", "age"), "quasi", "age may be known")
    journal.decide(("roles", "name"), "identifier", "name is never published")
    journal.decide(("promise", "k"), 5, "k is 5")
    journal.undo()
    again = Journal.opened(tmp_path / "journal.jsonl")
    assert again.state() == {"roles": {"age": "quasi", "name": "identifier"}}
    assert again.redo().words == "k is 5"
    assert again.state()["promise"] == {"k": 5}
    assert again.revision == 5


def test_what_holds_already_is_no_decision(tmp_path):
    journal = Journal.opened(tmp_path / "journal.jsonl")
    assert journal.decide(("promise", "k"), 5, "k is 5") == 1
    assert journal.decide(("promise", "k"), 5, "k is 5") == 1
    assert journal.decide(("promise", "l"), None, "no l") == 1


def test_a_new_decision_ends_what_was_undone(tmp_path):
    journal = Journal.opened(tmp_path / "journal.jsonl")
    journal.decide(("promise", "k"), 5, "k is 5")
    journal.undo()
    journal.decide(("promise", "k"), 7, "k is 7")
    assert journal.redo() is None
    assert journal.undo().to == 7
    assert journal.undo() is None
    assert journal.state() == {}


def test_one_decision_may_set_several_things_and_is_taken_back_whole(tmp_path):
    journal = Journal.opened(tmp_path / "journal.jsonl")
    journal.decide(("roles", "age"), "quasi", "age may be known")
    assert journal.decide(("source",), "b", "another table", [(("roles",), None), (("shape",), "text")]) == 2
    assert Journal.opened(journal.path).state() == {"source": "b", "shape": "text"}
    assert journal.decide(("source",), "b", "another table", [(("roles",), None), (("shape",), "text")]) == 2
    journal.undo()
    assert journal.state() == {"roles": {"age": "quasi"}}
    assert Journal.opened(journal.path).redo().words == "another table"


def test_of_a_line_that_was_half_written_nothing_was_decided(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal.opened(path)
    journal.decide(("promise", "k"), 5, "k is 5")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"set": ["promise", "k"], "to"')
    again = Journal.opened(path)
    assert again.state() == {"promise": {"k": 5}}
    again.decide(("promise", "k"), 6, "k is 6")
    assert [json.loads(line).get("to") for line in path.read_bytes().splitlines()] == [5, 6]


def test_a_journal_is_never_written_longer_than_it_can_be_opened(tmp_path, monkeypatch):
    journal = Journal.opened(tmp_path / "journal.jsonl")
    journal.decide(("promise", "k"), 5, "k is 5")
    monkeypatch.setattr("discreet.studio.journal._LONGEST", journal.path.stat().st_size + 20)
    journal.undo()
    full = journal.path.read_bytes()
    for move in (journal.redo, lambda: journal.decide(("promise", "k"), 6, "k is 6")):
        with pytest.raises(DataError, match=r"journal is full: \d+ of \d+ bytes"):
            move()
    assert journal.path.read_bytes() == full
    assert Journal.opened(journal.path).state() == journal.state() == {}


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b'{"undo": true}',
        b'{"set": 5, "to": 1, "words": ""}',
        b'{"set": ["a"], "to": 1, "words": "", "also": [1]}',
        b'"x"',
        b"\xff",
    ],
)
def test_what_is_no_decision_is_refused(tmp_path, line):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(DataError, match="Line 1 of the project's journal"):
        Journal.opened(path)


@given(st.lists(st.one_of(st.sampled_from(["undo", "redo"]), st.tuples(st.sampled_from("abc"), st.integers(0, 3)))))
def test_undo_and_redo_are_those_of_a_stack_of_states(tmp_path_factory, moves):
    """Slow twin: whole states, kept one by one."""
    journal = Journal.opened(tmp_path_factory.mktemp("journal") / "journal.jsonl")
    states, undone = [{}], []
    for move in moves:
        if move == "undo":
            journal.undo()
            if len(states) > 1:
                undone.append(states.pop())
        elif move == "redo":
            journal.redo()
            if undone:
                states.append(undone.pop())
        else:
            journal.decide((move[0],), move[1], "")
            if states[-1].get(move[0]) != move[1]:
                states.append(states[-1] | {move[0]: move[1]})
                undone.clear()
        assert journal.state() == states[-1]
    assert Journal.opened(journal.path).state() == states[-1]
