# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from discreet.data.document import Document
from discreet.errors import DataError

COLUMNS = [("age", "quasi", "number"), ("y", "target", "category")]
NOISE = {"mechanism": "exponential", "sensitivity": 9, "scale": 2.5, "picks": 2, "delta": 0.0, "neighbours": "x"}
TREE = {
    "model": "decision tree",
    "counted": "rows",
    "classes": ["a", "b"],
    "values": {},
    "nodes": [
        {"column": "age", "cut": 40.0, "below": 1, "not_below": 2},
        {"class": "a", "at_least": 5, "counts": None},
        {"class": "b", "at_least": 5, "counts": [0, 7]},
    ],
}
SAID = {
    "names": {"names": ["age", "y"], "noise": [NOISE]},
    "weights": {"weights": [1.0, 0.0], "noise": [NOISE]},
    "model": TREE,
}


def test_a_document_is_read_back_as_it_was_written(tmp_path):
    columns = [("größe", "quasi", "number"), ("y", "target", "category")]
    document = Document.of("weights", columns, {"weights": [0.1, 1e-300], "noise": [NOISE]})
    document.write(tmp_path / document.file_name("csv"))
    again = Document.read(tmp_path / "weights.json", shape="weights")
    assert again.equals(document)
    assert again.content == document.content
    assert again.columns == tuple(columns)
    assert again.names == ("größe", "y")


def test_a_document_in_other_bytes_was_edited():
    document = Document.of("names", COLUMNS, {"names": ["age", "y"], "noise": []})
    written = document.to_bytes()
    said_twice = written.replace(b' "names": [', b' "names": ["y"],\n "names": [', 1)
    assert json.loads(said_twice) == document.content
    for edited in (written + b"\n", written.replace(b": ", b":"), said_twice):
        with pytest.raises(DataError, match="it was edited"):
            Document.from_bytes(edited, "names")


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"format": 2, "shape": "names", "columns": []},
        {"format": 1, "shape": "weights", "columns": []},
        {"format": 1, "shape": "names", "columns": [{"name": "a", "role": "person", "kind": "number"}]},
        {"format": 1, "shape": "names", "columns": [{"name": "a", "role": "quasi", "kind": "number"}] * 2},
        {"format": 1, "shape": "names", "columns": ["a"]},
        [],
    ],
)
def test_what_is_no_document_is_refused(content):
    with pytest.raises(DataError, match="The document"):
        Document.from_bytes(Document("names", content).to_bytes(), "names")


@pytest.mark.parametrize("shape", SAID)
def test_a_shape_holds_what_it_holds_and_nothing_else(shape):
    """Rows under a further key, at the top or deep within, are no part of a document."""
    written = Document.of(shape, COLUMNS, SAID[shape]).to_bytes()
    assert Document.from_bytes(written, shape).to_bytes() == written
    rows = {"rows": [["Ann", 34]]}
    content = json.loads(written)
    further = [content | rows, *({key: value for key, value in content.items() if key != name} for name in content)]
    for name, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            further.append(content | {name: [value[0] | rows, *value[1:]]})
        further.append(content | {name: "text"})
    for changed in further:
        with pytest.raises(DataError, match="The document"):
            Document.from_bytes(Document(shape, changed).to_bytes(), shape)


def test_names_and_weights_are_those_of_the_columns():
    for shape, said in (("names", {"names": ["y", "age"]}), ("weights", {"weights": [1.0]})):
        with pytest.raises(DataError, match="does not have exactly the fields"):
            Document.from_bytes(Document.of(shape, COLUMNS, said | {"noise": []}).to_bytes(), shape)


def test_a_number_that_is_none_is_never_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        Document.of("weights", COLUMNS, {"weights": float("nan")}).to_bytes()


def test_the_file_of_another_shape_is_refused(tmp_path):
    document = Document.of("names", COLUMNS, {})
    (tmp_path / "data.json").write_bytes(document.to_bytes())
    with pytest.raises(DataError, match=r"has the data file names\.json"):
        Document.read(tmp_path / "data.json", shape="names")
