# SPDX-License-Identifier: Apache-2.0
"""What is promised is decided by sliders; what makes no sense is refused in words, and nothing is decided by it."""

import time

import pytest

CSV = "age,ill,y\n" + "".join(f"{20 + i % 9},{'abc'[i % 3]},{'no' if i % 2 else 'yes'}\n" for i in range(60))


@pytest.fixture
def own(at_home):
    project = at_home.studio.project
    stored = project.place_for("people.csv")
    stored.write_text(CSV)
    project.take("people.csv", stored)
    project.set_roles({"age": "quasi", "ill": "sensitive", "y": "target"}, "Roles.")
    return at_home


def effect(own):
    for _ in range(300):
        text = own.get("/promise/effect").text
        if "Counting" not in text:
            return " ".join(text.split())
        time.sleep(0.1)
    raise AssertionError("no answer")


def test_every_slider_says_what_it_means_for_this_table(own):
    for name, value in (("k", 8), ("l", 2), ("t", 0.2), ("epsilon", 1)):
        assert own.post(f"/promise/{name}", data={name: value}).status_code == 200
    said = effect(own)
    assert "<b>60</b> of 60 rows" in said  # nine ages, none of which eight have
    assert "at least 2 values of <b>ill</b>, which has 3" in said
    assert "33.3 % of all rows; in a group at most 53.3 %" in said
    assert "<b>73.1 %</b> sure" in said
    own.post("/promise/l", data={"l": 5})
    assert "no release can keep this promise" in effect(own)
    promised = own.studio.project.recipe()["promises"]
    assert promised == {"k": [8], "l": 5, "t": 0.2, "epsilon": [1.0]}


@pytest.mark.parametrize(("name", "value"), [("k", 1), ("k", 5000), ("l", 0), ("t", 0), ("t", 2), ("epsilon", -1)])
def test_what_no_promise_can_be_is_refused(own, name, value):
    before = own.studio.project.journal.revision
    answer = own.post(f"/promise/{name}", data={name: value})
    assert answer.status_code == 422
    assert "number from" in answer.text
    assert own.studio.project.journal.revision == before
