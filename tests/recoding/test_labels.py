# SPDX-License-Identifier: Apache-2.0
"""A value `other` and the mark of values too rare to be named stay apart, from the rows to the record and back."""

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from discreet import (
    KActus,
    Mondrian,
    Roles,
    Table,
    TopDownSpecialization,
    TreeLadder,
    recode,
    verify,
)
from discreet.data.column import encode
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.labels import Labelling, Meaning, other_mark
from instances import recodes_source

TREE = [
    ("a", "north", "*"),
    ("b", "north", "*"),
    ("other", "south", "*"),
    *((f"r{place}", ("north", "south")[place % 2], "*") for place in range(6)),
]
METHODS = {
    "mondrian": Mondrian(10, random_state=1),
    "by information": Mondrian(10, split="information", random_state=1),
    "local": Mondrian(10, labels="local", random_state=1),
    "cuts": Mondrian(10, labels="cuts", grids={"job": ["a", "b", "other"]}, random_state=1),
    "automatic tree": Mondrian(10, labels="hierarchy", random_state=1),
    "given tree": Mondrian(10, labels="hierarchy", hierarchies={"job": from_paths("job", TREE)}, random_state=1),
    "ladder, tree": TreeLadder(10, hierarchies={"job": from_paths("job", TREE)}, random_state=1),
    "kactus": KActus(10, random_state=1),
    "tds, tree": TopDownSpecialization(10, hierarchies={"job": from_paths("job", TREE)}, random_state=1),
}
ROLES = Roles(target="y", quasi=["job", "age"])


def jobs(real):
    """Three common jobs, one of them called `real`, and six that two persons have each; the class follows the job."""
    rng = np.random.default_rng(3)
    job = rng.permutation(np.repeat(["a", "b", real, *(f"r{place}" for place in range(6))], [60, 60, 60, *[2] * 6]))
    age = rng.integers(20, 60, len(job))
    likely = {"a": 0.1, "b": 0.9, real: 0.5}
    y = np.where(rng.random(len(job)) < [likely.get(one, 0.3) for one in job], "yes", "no")
    return Table.of({"job": job, "age": age, "y": y})


def test_a_mark_avoids_what_is_named_and_nothing_else():
    assert other_mark([]) == "other"
    assert other_mark(["Other"]) == "other"
    assert other_mark(["other", "other values", "other values 2"]) == "other values 3"
    assert other_mark(["other north"], "north") == "other values of north"


@pytest.mark.parametrize("name", METHODS)
def test_a_value_called_other_keeps_to_itself(tmp_path, name):
    table = jobs("other")
    release = METHODS[name].release(table, ROLES)
    release.save(tmp_path / "out")
    found = verify(tmp_path / "out" / "release")
    assert found.holds, found.problems
    job = next(one for one in json.loads(release.record)["columns"] if one["name"] == "job")
    meanings = {label["label"]: label for label in job["labels"]}
    assert len(meanings) == len(job["labels"])
    if "other" in meanings:  # then it is the value, and not what is too rare to be named
        assert meanings["other"].get("in") == ["other"]
        assert "others" not in meanings["other"]
    for label, meaning in meanings.items():
        if meaning.get("others") and not meaning.get("in"):
            assert label == "other values"
    again = rows_of(recode(tmp_path / "out" / "release", table))
    assert again == rows_of(release.recode(table))
    if recodes_source(METHODS[name]):
        assert again == rows_of(release.table)


def rows_of(table):
    columns = Table.of(table).to_arrow().to_pydict()
    return Counter(zip(columns["job"], columns["age"], strict=True))


@pytest.mark.parametrize("name", [name for name in METHODS if "tree" not in name and name != "cuts"])
def test_without_such_a_value_nothing_changes(name):
    """The same rows under another name of the job give the same labels, up to that name and the mark."""
    one, two = (METHODS[name].release(jobs(real), ROLES) for real in ("other", "othe"))
    rows = [list(map(str, release.data["job"].to_pylist())) for release in (one, two)]
    renamed = [
        text.replace("other values", "MARK").replace("other", "othe").replace("MARK", "other") for text in rows[0]
    ]
    assert sorted(renamed) == sorted(rows[1])


def test_a_rare_value_called_other_leaves_no_trace(tmp_path):
    """Whether one of the values that are not named is called so cannot be seen in any published byte."""
    folders = []
    for place, rare in enumerate(("other", "olive")):
        job = np.array(["a"] * 40 + ["b"] * 40 + [rare, "x1", "x2"])
        y = np.where(np.arange(len(job)) % 2, "yes", "no")
        table = Table.of({"job": job, "y": y})
        release = Mondrian(5, random_state=7).release(table, Roles(target="y", quasi=["job"]))
        folders.append(release.save(tmp_path / str(place)) / "release")
    for name in ("data.csv", "recoding.json", "certificate.json"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


def test_the_classes_side_by_side_are_those_that_an_interval_covers():
    ends = [(-np.inf, 3.0), (3.0, 8.5), (2.0, np.inf), (4.0, 4.0), (-np.inf, np.inf), (50.0, 60.0)]
    meanings = [Meaning(interval) for interval in ends] + [Meaning((1.0, 5.0), missing=True), Meaning(but=True)]
    labelling = Labelling("x", "number", tuple(f"label {place}" for place in range(len(meanings))), tuple(meanings))
    classes = labelling.classes(encode("x", pa.array([1, 2, 3, 4, 5, 8, 9, 50, None, 70])))
    for place, (first, stop) in enumerate(zip(*classes.spans, strict=True)):
        fits = np.flatnonzero(classes.fit(place))
        if place < len(ends):
            assert fits.tolist() == list(range(first, stop))
        else:
            assert first == stop == -1
