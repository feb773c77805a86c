# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from discreet.document import Document, read_document
from discreet.errors import DataError

COLUMNS = [("age", "quasi", "number"), ("y", "target", "category")]


def test_a_document_is_read_back_as_it_was_written(tmp_path):
    document = Document.of("weights", COLUMNS, {"weights": {"age": 0.1, "größe": 1e-300}})
    (tmp_path / document.file).write_bytes(document.to_bytes())
    again = read_document(tmp_path / "weights.json", "weights")
    assert again.content == document.content
    assert again.columns == tuple(COLUMNS)
    assert again.names("target") == ("y",)


def test_a_document_in_other_bytes_was_edited():
    document = Document.of("names", COLUMNS, {"names": ["age"]})
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


def test_a_number_that_is_none_is_never_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        Document.of("weights", COLUMNS, {"weights": float("nan")}).to_bytes()


def test_the_file_of_another_shape_is_refused(tmp_path):
    document = Document.of("names", COLUMNS, {})
    (tmp_path / "data.json").write_bytes(document.to_bytes())
    with pytest.raises(DataError, match=r"is the file names\.json"):
        read_document(tmp_path / "data.json", "names")
