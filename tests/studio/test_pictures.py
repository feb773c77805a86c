# SPDX-License-Identifier: Apache-2.0
"""The picture of the choice: a place for each release, and no two numbers on top of each other."""

from discreet.studio.pictures import choice_picture

LEVELS = [{"name": "original", "utility": 0.9}, {"name": "guessing", "utility": 0.5}]


def release(name, utility, privacy):
    return {"name": name, "utility": utility, "privacy": privacy, "detail": 0.5}


def written(picture):
    """What is written in each circle, and above it."""
    return {one["release"]: (one["inside"], one["above"]) for one in picture["data"]["values"]}


def test_each_place_is_written_in_its_circle():
    ranking = [release("a", 0.8, 90.0), release("b", 0.6, 99.0)]
    assert written(choice_picture(ranking, LEVELS, "Accuracy", best="a", shown="a")) == {"a": ("1", ""), "b": ("2", "")}


def test_places_of_circles_that_overlap_are_written_together():
    ranking = [release("a", 0.8, 99.0), release("b", 0.6, 80.0), release("c", 0.805, 99.2), release("d", 0.81, 99.4)]
    found = written(choice_picture(ranking, LEVELS, "Accuracy", best="a", shown="b"))
    assert found == {"a": ("", ""), "b": ("2", ""), "c": ("", ""), "d": ("", "1, 3, 4")}


def test_what_was_not_measured_is_in_the_words_alone():
    ranking = [release("a", 0.8, 99.0), release("b", None, None)]
    picture = choice_picture(ranking, LEVELS, "Accuracy", best="a", shown="a")
    assert [one["release"] for one in picture["data"]["values"]] == ["a"]
    assert "b: not measured" in picture["description"]
