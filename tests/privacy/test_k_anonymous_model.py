# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from discreet import DataError, KAnonymousModel, Roles
from discreet.data.document import Document
from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.privacy import promise_from

TABLE = {"age": [1, 1, 1, 1, 9, 9, 9, 9, 9], "town": list("aaabbbbbb"), "y": list("nnnyyyyyn")}
COLUMNS = [("age", "quasi", "number"), ("y", "target", "category")]


def leaf(label, counts=None, at_least=2):
    return {"class": label, "at_least": at_least, "counts": counts}


def tree(*nodes, columns=COLUMNS, values=None, classes=("n", "y")):
    said = {"model": "decision tree", "counted": "rows", "classes": list(classes), "values": values or {}}
    return Document.of("model", columns, {**said, "nodes": list(nodes)})


CUT = {"column": "age", "cut": 5.0, "below": 1, "not_below": 2}


def owned(document, persons=None):
    rows = Table.of(TABLE).select([name for name, _, _ in document.columns])
    return document.with_evidence(rows, None if persons is None else np.array(persons))


def test_the_rows_of_every_leaf_are_counted():
    verdict = KAnonymousModel(4).check(owned(tree(CUT, leaf("n"), leaf("y"))))
    assert (verdict.holds, verdict.measured, verdict.kind, verdict.rows) == (True, 4, "owner", 9)
    assert not KAnonymousModel(5).check(owned(tree(CUT, leaf("n"), leaf("y")))).holds


def test_a_count_that_is_shown_counts():
    verdict = KAnonymousModel(2).check(owned(tree(CUT, leaf("n", [3, 1]), leaf("y"))))
    assert (verdict.measured, verdict.rows_short) == (1, 4)


def test_with_the_class_known_every_class_of_a_leaf_counts():
    document = owned(tree(CUT, leaf("n"), leaf("y")))
    assert KAnonymousModel(2).check(document).measured == 4
    assert KAnonymousModel(2, public_class=True).check(document).measured == 1


def test_persons_are_counted_where_they_are_known():
    document = owned(tree(CUT, leaf("n"), leaf("y")), persons=[0, 0, 0, 1, 2, 3, 4, 5, 0])
    assert KAnonymousModel(2).check(document).measured == 1  # class n is of one person, and is named


def test_values_and_branches_that_are_named_count():
    columns = [("town", "quasi", "category"), ("y", "target", "category")]
    node = {"column": "town", "level": 0, "branches": {"a": 1, "b": 2}, "missing": None, "otherwise": 2}
    document = owned(tree(node, leaf("n"), leaf("y"), columns=columns, values={"town": {"a": ["a"], "b": ["b"]}}))
    assert KAnonymousModel(3).check(document).measured == 3
    strange = tree(node, leaf("n"), leaf("y"), columns=columns, values={"town": {"a": ["a"], "b": ["b"], "z": ["b"]}})
    with pytest.raises(DataError, match="does not begin with the values"):
        KAnonymousModel(3).check(strange)


def test_without_the_owners_rows_what_is_stated_counts():
    assert KAnonymousModel(4).check(tree(CUT, leaf("n", at_least=4), leaf("y", [0, 9]))).holds
    assert not KAnonymousModel(4).check(tree(CUT, leaf("n", at_least=3), leaf("y"))).holds
    assert not KAnonymousModel(4).check(tree(CUT, leaf("n", at_least=4), leaf("y", [3, 9]))).holds
    with pytest.raises(DataError, match="does not show its classes"):
        KAnonymousModel(4, public_class=True).check(tree(CUT, leaf("n", at_least=4), leaf("y", [0, 9])))


def test_what_is_no_model_is_refused():
    with pytest.raises(DataError, match="for rows, use KAnonymity"):
        KAnonymousModel(3).check(TABLE, Roles(target="y", quasi=["age"]))
    with pytest.raises(DataError, match="names a value that none of the owner's rows has"):
        KAnonymousModel(2).check(owned(tree(leaf("z"), columns=COLUMNS[1:], classes=("n", "z"))))
    with pytest.raises(ParameterError):
        KAnonymousModel(1)


def test_the_promise_is_written_and_read():
    promise = KAnonymousModel(7, public_class=True)
    assert promise_from(promise.to_dict()) == promise
    assert str(promise) == "7-anonymous model, class known"
