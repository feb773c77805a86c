# SPDX-License-Identifier: Apache-2.0
"""Seeded releases publish what they published before. Where a change is meant: `python tests/golden.py record`."""

import copy

import pytest

import golden
from instances import INSTANCES

KEPT = golden.kept()


@pytest.mark.parametrize("name", INSTANCES)
def test_a_seeded_release_publishes_what_it_did_before(name):
    changed = golden.differences(KEPT.get(name, {}), golden.measured(name))
    assert not changed, f"{name}: " + "; ".join(changed) + ". If that is meant: python tests/golden.py record"


def test_nothing_is_kept_of_instances_that_are_gone():
    assert set(KEPT) == set(INSTANCES)


def test_both_formats_are_kept_of_every_table_and_each_field_of_its_certificate():
    parts = KEPT["mondrian-median"]["clinic, k = 5"]
    assert {"data.csv", "data.parquet (cells)", "recoding.json", "certificate: verdict", "certificate: groups"} <= set(
        parts
    )
    assert not any(name in part for part in parts for name in golden.CHANGING)


def test_one_row_in_another_place_is_seen(tmp_path):
    method = INSTANCES["mondrian-median"].make(5, golden.SEED)
    folder = method.release(*golden.table("people")).save(tmp_path / "out") / "release"
    before = golden.of_folder(folder)
    head, first, second, *rows = (folder / "data.csv").read_text().splitlines(keepends=True)
    (folder / "data.csv").write_text("".join([head, second, first, *rows]))
    assert golden.differences({"x": before}, {"x": golden.of_folder(folder)}) == ["x: data.csv"]


def test_what_differs_is_listed_by_release_and_part():
    before = {"people, k = 3": {"data.csv": "1", "certificate: verdict": "2"}, "people, k = 10": {"refused": "3"}}
    after = copy.deepcopy(before)
    assert golden.differences(before, after) == []
    after["people, k = 3"] = {"data.csv": "1", "certificate: verdict": "4", "certificate: noise": "5"}
    after["boards, k = 5"] = after.pop("people, k = 10")
    assert golden.differences(before, after) == [
        "boards, k = 5: new",
        "people, k = 10: gone",
        "people, k = 3: certificate: noise (new), certificate: verdict",
    ]


def test_numbers_count_to_the_digits_that_machines_agree_on():
    assert golden.of_plain({"a": 0.1 + 0.2}) == golden.of_plain({"a": 0.3})
    assert golden.of_plain({"a": 0.3}) != golden.of_plain({"a": 0.3001})
