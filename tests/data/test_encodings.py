# SPDX-License-Identifier: Apache-2.0
"""How the encoding of a text file is told from its bytes."""

import pytest

from discreet.data.encodings import possible_encodings


@pytest.fixture
def judged(tmp_path):
    """The encodings that a file of these bytes may have, by its beginning."""

    def judge(content: bytes, head: int = 1 << 18) -> list[str]:
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        return possible_encodings(path, content[:head])

    return judge


def test_long_runs_of_letters_are_one_word(judged):
    """Half a million letters, which took hours when every one of them began a search for a high byte."""
    assert judged(b"id,name,genome\n1,\xe9t\xe9," + b"ACGT" * 125_000 + b"\n", 1 << 20) == ["cp1252"]
