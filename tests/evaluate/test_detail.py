# SPDX-License-Identifier: Apache-2.0
"""What releases of every shape hold, use without recoding, and the warnings in words."""

import numpy as np
import pytest

from discreet import DeltaSketch, KAdet, Mondrian, PrivateTable, Roles, TreeLadder
from discreet.data.baskets import Baskets
from discreet.data.dataset import Dataset
from discreet.evaluate.confidence import Share
from discreet.evaluate.detail import detail, measure_detail, table_of_kept, warnings_of, what_is_kept
from discreet.evaluate.raw_use import RawUse
from instances import ROLES, baskets, people


def test_shapes_without_cells_hold_nothing_to_read():
    tree = KAdet(5).release(people(), ROLES)
    sketches = DeltaSketch(0.4, random_state=1).release(*baskets())
    assert detail(tree, people(), ROLES).whole == 0
    assert detail(sketches, Baskets.of(*baskets())).whole == 0
    kept = what_is_kept(tree, people(), ROLES)
    assert (kept.tables, kept.content, kept.suppressed) == (None, 0, 1.0)


@pytest.mark.parametrize("epsilon", [0.01, 100.0])
def test_synthetic_rows_are_judged_by_their_tables(epsilon):
    rng = np.random.default_rng(0)
    a = rng.choice(["p", "q"], 600)
    data = {"a": a, "b": np.where(rng.random(600) < 0.9, a, "r"), "y": rng.choice(["n", "m"], 600)}
    domain = {"a": ["p", "q"], "b": ["p", "q", "r"], "y": ["n", "m"]}
    roles = Roles(target="y", quasi=["a", "b"])
    release = PrivateTable(epsilon, domain).release(data, roles)
    assert release.detail is None
    assert release.certificate.detail is None  # a figure of the private rows beside noise would be no secret
    found = detail(release, data, roles)
    assert set(found.columns) == {"a", "b"}
    assert found.whole > 0.8 if epsilon > 1 else found.whole < 0.7
    assert what_is_kept(release, data, roles).synthetic


def test_columns_count_only_with_two_labels():
    rng = np.random.default_rng(0)
    table = {
        "age": rng.integers(20, 80, 200),
        "town": [f"t{i % 100}" for i in range(200)],
        "y": rng.integers(0, 2, 200),
    }
    roles = Roles(target="y", quasi=["age", "town"])
    release = TreeLadder(k=90).release(table, roles)
    kept = what_is_kept(release, table, roles)
    blank = [column.name for column in release.table.columns(["age", "town"]) if column.levels < 2]
    assert kept.blank == tuple(blank)
    assert (kept.columns, kept.content) == (2, 2 - len(blank))
    said = warnings_of(kept.to_dict())
    assert any("the same in every row" in text for text in said) == bool(blank)
    assert any("suppressed" in text for text in said) == (kept.suppressed > 0.5)


def test_use_without_recoding_is_said_where_it_fails():
    def share(value, low):
        return Share(value, low, value + 0.1)

    fails = RawUse(share(0.8, 0.7), share(0.4, 0.3), share(0.6, 0.5), share(0.2, 0.1), share(-0.2, -0.3))
    works = RawUse(share(0.8, 0.7), share(0.8, 0.7), share(0.6, 0.5), share(0.2, 0.1), share(0.2, 0.1))
    poor = RawUse(share(0.6, 0.5), share(0.4, 0.3), share(0.6, 0.5), share(0.0, -0.1), share(-0.2, -0.3))
    alike = RawUse(share(0.65, 0.6), share(0.62, 0.57), share(0.6, 0.55), share(0.05, 0.01), share(0.02, -0.02))
    assert [one.needs_recoding for one in (fails, works, poor, alike)] == [True, False, False, False]
    kept = what_is_kept(Mondrian(5).release(people(), ROLES), people(), ROLES)
    told = warnings_of(type(kept)(**vars(kept) | {"raw": fails}).to_dict())
    assert "40.0 % of rows as they are, 80.0 % of recoded rows; guessing is right about 60.0 %" in " ".join(told)


def test_a_method_is_measured_on_rows_it_did_not_see():
    kept = measure_detail(Mondrian(5, random_state=1), people(), ROLES)
    assert kept.targets
    assert 0 < kept.raw.raw.value <= 1
    text = table_of_kept({"mondrian": kept})
    assert f"{kept.detail.whole:.3f}" in text
    plain = kept.to_dict()
    assert plain["needs_recoding"] == kept.raw.needs_recoding


def test_the_original_holds_everything():
    data = {"a": ["x", "y", "x", "y"] * 10, "y": ["n", "m"] * 20}
    roles = Roles(target="y", quasi=["a"])
    assert detail(Mondrian(k=2).release(data, roles), Dataset.of(data, roles)).whole == pytest.approx(1)


def test_columns_that_are_all_but_blank_are_named():
    """Two labels, so not blank: but ten rows of a thousand say anything of the age."""
    kept = {"blank": ["sex"], "suppressed": 0.4, "columns": 5, "needs_recoding": False}
    kept["detail"] = {"whole": 0.2, "columns": {"age": 0.002, "sex": 0.0, "zip": 0.0099, "job": 0.01, "left out": 0.0}}
    assert warnings_of(kept) == [
        "1 of 5 columns is blank: 'sex' says the same in every row.",
        "2 of 5 columns are nearly blank: 'age', 'zip' keep less than 1 % of what the values told.",
    ]
