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


def test_how_l_and_t_are_counted_and_who_is_counted(own):
    project = own.studio.project
    for name, value in (("l", 2), ("t", 0.2)):
        own.post(f"/promise/{name}", data={name: value})
    own.post("/promise/diversity", data={"diversity": "recursive"})
    own.post("/promise/distance", data={"distance": "ordered"})
    assert "ill holds categories, which have no order" in effect(own)
    assert own.post("/promise/mapped", data={"mapped": "yes"}).status_code == 422  # the population is not known
    own.post("/risk/fraction", data={"percent": "10"})
    assert "10.0 % of which is in the table" in own.get("/promise").text
    assert own.post("/promise/mapped", data={"mapped": "yes"}).status_code == 200
    assert "persons of the population are counted" in effect(own)
    assert own.post("/promise/label", data={"known": "yes"}).status_code == 422
    asked = {"diversity": "recursive", "c": 2, "distance": "ordered"}
    methods = project.recipe()["methods"]
    assert all({name: one[name] for name in asked} == asked for one in methods if one["name"] in ("tds", "mondrian"))
    assert {one["name"]: one.get("population") for one in methods}["mondrian"] == 0.1
    assert all("population" not in one for one in methods if one["name"] != "mondrian")


def test_how_many_items_outsiders_know_is_for_km_alone(own):
    own.studio.project.set_shape("columns")
    assert "m, items of a person that outsiders know" in own.get("/promise").text
    own.post("/promise/m", data={"m": 3})
    asked = {one["name"]: one.get("m") for one in own.studio.project.recipe()["methods"]}
    assert asked["km"] == 3
    assert asked["maximal"] is None
    assert own.post("/promise/m", data={"m": 99}).status_code == 422


@pytest.mark.parametrize("name", ["diversity", "distance"])
def test_a_measure_that_there_is_not_is_refused(own, name):
    assert own.post(f"/promise/{name}", data={name: "other"}).status_code == 422
