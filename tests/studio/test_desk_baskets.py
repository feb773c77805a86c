# SPDX-License-Identifier: Apache-2.0
"""What the desk says about baskets and texts is what the library counts."""

import pytest

from discreet import Baskets, DataError
from discreet.methods import GreedySelector
from discreet.risk.basket_inspection import inspect_baskets
from discreet.studio.desk_questions import QUESTIONS, Held

LINES = ["milk tea", "milk", "milk tea rye", "tea", "milk tea"] * 3 + ["wine"]
LABELS = ["no", "yes"] * 8
PAIRS = [*zip(LINES, LABELS, strict=True)]


@pytest.fixture
def lines(tmp_path):
    (tmp_path / "visits.dat").write_text("\n".join(LINES) + "\n")
    (tmp_path / "visits.labels").write_text("\n".join(LABELS) + "\n")
    return tmp_path / "visits.dat"


def asked(question, path, how, **more):
    return QUESTIONS[question](Held(), path=str(path), reading={}, how=how, **more)


def test_lines_columns_and_texts_of_the_same_items_are_described_alike(lines, tmp_path):
    names = sorted({item for line in LINES for item in line.split()})
    rows = [",".join(str(int(name in line.split())) for name in names) + f",{label}" for line, label in PAIRS]
    (tmp_path / "columns.csv").write_text("\n".join([",".join([*names, "ill"]), *rows]) + "\n")
    (tmp_path / "texts.csv").write_text("\n".join(["note,ill", *(f"{line.title()}!,{label}" for line, label in PAIRS)]))
    found = [
        asked("baskets", lines, {"shape": "transactions", "labels": "visits.labels"}),
        asked("baskets", tmp_path / "columns.csv", {"shape": "columns", "target": "ill"}),
        asked("baskets", tmp_path / "texts.csv", {"shape": "text", "text": "note", "target": "ill"}),
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["commonest"][0] == {"label": "milk", "rows": 12}
    counted = inspect_baskets(Baskets.from_transactions(lines, LABELS)).to_dict()
    assert {name: found[0][name] for name in counted} == counted


def test_rows_short_of_k_are_those_whose_items_few_have(lines):
    """Slow twin: count for each row who has all of its items."""
    sets = [set(line.split()) for line in LINES]
    for k in (2, 4, 7, 16):
        short = sum(sum(one <= other for other in sets) < k for one in sets)
        assert asked("short_of_alike", lines, {"shape": "transactions"}, k=k)["short"] == short


def test_first_rows_show_what_is_kept_of_them(lines, tmp_path):
    release = GreedySelector(k=4).release(Baskets.from_transactions(lines, LABELS))
    release.save(tmp_path / "out")
    how = {"shape": "transactions", "labels": "visits.labels"}
    found = asked("beside_items", lines, how, folder=str(tmp_path / "out/release"), count=3)
    assert [item for item, *_ in found["before"][2]["items"]] == ["milk", "rye", "tea"]
    kept = {item for row in found["before"] for item, is_kept, _ in row["items"] if is_kept}
    assert kept <= set(release.columns)
    assert len(found["after"]) == 3


def test_a_text_column_must_be_named(lines):
    with pytest.raises(DataError, match="which column holds the texts"):
        asked("baskets", lines, {"shape": "text"})
