# SPDX-License-Identifier: Apache-2.0
"""The hierarchy editor: what is changed by hand is in the recipe, in the release, and made again by replay."""

import threading
import time

import pytest

from discreet.errors import DataError
from discreet.samples import load
from discreet.studio import server_hierarchies


@pytest.fixture
def own(at_home):
    """With a table and two quasi-identifiers."""
    project = at_home.studio.project
    stored = project.folder / "data" / "c.csv"
    load("clinic", rows=300, random_state=3).data.write(stored, "csv", input_again=True)
    project.take("c.csv", stored)
    for column, role in {"age": "quasi", "occupation": "quasi", "readmitted": "target"}.items():
        project.set_role(column, role)
    at_home.project = project
    return at_home


def tree_of(own, column):
    for _ in range(200):
        text = own.get("/hierarchies/tree", params={"column": column}).text
        if "Counting" not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("no answer")


def edit(own, **form):
    return own.post("/hierarchies/edit", data={"column": "occupation", "level": 1} | form)


def test_a_hierarchy_is_edited_step_by_step_and_taken_back(own):
    assert "Made automatically" in tree_of(own, "occupation")
    labels = own.get("/hierarchies/file", params={"column": "occupation"}).text.splitlines()
    groups = list(dict.fromkeys(line.split(";")[1] for line in labels))
    assert edit(own, what="merge", label=groups[:2], name="hands").status_code == 200
    assert "hands" in tree_of(own, "occupation")
    assert edit(own, what="rename", label="hands", name="by hand").status_code == 200
    assert "by hand" in own.get("/hierarchies/file", params={"column": "occupation"}).text
    own.post("/undo")
    assert "by hand" not in own.get("/hierarchies/file", params={"column": "occupation"}).text
    recipe = own.project.recipe()
    assert [one["name"] for one in recipe["methods"] if "hierarchies" in one]
    own.post("/hierarchies/automatic", data={"column": "occupation"})
    assert not any("hierarchies" in one for one in own.project.recipe()["methods"])


def test_files_of_arx_come_in_and_go_out(own):
    text = own.get("/hierarchies/file", params={"column": "age"}).text
    assert own.put("/hierarchies/file", params={"column": "age"}, content=text.encode()).status_code == 204
    assert own.get("/hierarchies/file", params={"column": "age"}).text == text
    own.post("/undo")


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"what": "merge", "label": ["x"]}, "two groups"),
        ({"what": "burn"}, "no such change"),
        ({"what": "split"}, "Choose a group first"),
        ({"what": "split", "label": "nobody", "level": "x"}, "whole number"),
        ({"what": "merge", "label": ["x", "y"], "column": "readmitted"}, "no such quasi-identifier"),
    ],
)
def test_edits_that_make_no_sense_are_refused_in_words(own, form, why):
    answer = edit(own, **form)
    assert answer.status_code == 422
    assert why in answer.text


def test_a_file_that_covers_not_all_values_is_refused(own):
    answer = own.put("/hierarchies/file", params={"column": "age"}, content=b"1;young;*\n2;young;*\n")
    assert answer.status_code == 422
    assert own.project.journal.state().get("hierarchies", {}).get("age") is None


def test_a_change_that_waits_for_the_table_holds_up_no_page(own, monkeypatch):
    begun, known = threading.Event(), threading.Event()

    def waits(studio, column):
        begun.set()
        known.wait(5)
        raise DataError("The table is being read.")

    monkeypatch.setattr(server_hierarchies, "_current", waits)
    with own:  # one loop for all requests
        editing = threading.Thread(target=edit, args=(own,), kwargs={"what": "split", "label": "x"})
        editing.start()
        assert begun.wait(5)
        assert own.get("/verify").status_code == 200
        waited = known.is_set() or not editing.is_alive()
        known.set()
        editing.join()
    assert not waited
