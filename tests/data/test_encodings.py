# SPDX-License-Identifier: Apache-2.0
"""How the encoding of a text file is told from its bytes."""

import pytest

from discreet.data.encodings import SAMPLE, encoding_if_not_utf8, possible_encodings
from discreet.errors import DataError


@pytest.fixture
def judged(tmp_path):
    """The encodings that a file of these bytes may have, by its beginning."""

    def judge(content: bytes, head: int = SAMPLE) -> list[str]:
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        return possible_encodings(path, content[:head])

    return judge


def test_long_runs_of_letters_are_one_word(judged):
    """Half a million letters, which took hours when every one of them began a search for a high byte."""
    assert judged(b"id,name,genome\n1,\xe9t\xe9," + b"ACGT" * 125_000 + b"\n", 1 << 20) == ["cp1252"]


@pytest.mark.parametrize("shift", range(4))
def test_a_sample_that_ends_within_a_character_is_judged_by_whole_lines(judged, tmp_path, shift):
    names = "n" * (4 + shift) + ",名前\n" + "1,東京都千代田区の花子さん\n" * 12_000
    assert judged(names.encode("cp932")) == ["cp932"]
    far = b"n" * (4 + shift) + b",x\n" + b"1,2\n" * 1_048_570 + "3,東京都千代田区の花子さん\n".encode("cp932")
    (tmp_path / "far.csv").write_bytes(far)
    assert encoding_if_not_utf8(tmp_path / "far.csv") == "cp932"


def test_high_bytes_only_in_the_line_that_the_sample_cuts_off(judged):
    content = b"a,b\n" + b"1,2\n" * (SAMPLE // 4 - 3) + "3,Köln am Rhein, Zürich\n".encode("cp1252")
    assert judged(content) == ["cp1252"]


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        ("Ayşe Çağrı", "cp1254"),
        ("Işık DOĞAN", "cp1254"),
        ("Tomáš", "iso8859-2"),
        ("Kroměříž", "iso8859-2"),
        ("Wiśniewski", "iso8859-2"),
        ("kościół", "iso8859-2"),
    ],
)
def test_letters_that_make_no_western_words_are_asked_about(judged, names, encoding):
    with pytest.raises(DataError, match=rf"cannot be told.*{encoding}\W"):
        judged(f"id,name\n1,{names}\n".encode(encoding))


@pytest.mark.parametrize(
    "names",
    [
        "Þórður Sigurðsson, Guðrún Ýr, Reykjavík, Ísafjörður",
        "Sigurður aus Köln, Jäger, Weiß",
        "Qualité¹ en m³, 2½ pièces, 1¾ à 3¼",
        "São João, coração, España ¿qué?, garçon",
        "Åse Bjørnsen, Sjælland, Malmö",
        "naïve façade, 25 µg, 5 °C, mean±sd, §3, «œuvre»",
    ],
)
def test_western_words_stay_western(judged, names):
    assert judged(f"id;name\n1;{names}\n".encode("cp1252")) == ["cp1252"]
