# SPDX-License-Identifier: Apache-2.0
"""The detail of a release, by hand, against a slow twin, and where it must be nothing or everything."""

import math
from collections import Counter

import numpy as np
import pytest

from discreet import GreedySelector, ItemGroups, KActus2, Mondrian, RandomFlip, Roles, TreeLadder, verify
from discreet.data.baskets import Baskets
from discreet.data.column import from_labels
from discreet.recoding.grouped_items import GroupedItems, ScoreStep
from discreet.recoding.item_scores import ItemScore
from discreet.recoding.labels import EVERYTHING, Labelling, Meaning
from discreet.release import information_kept
from discreet.release.information_kept import detail_of_column, detail_of_items
from discreet.release.losses import Crossing
from instances import ROLES, baskets, people


def crossing(old, new):
    old_texts, new_texts = sorted(set(old)), sorted(set(new))
    return Crossing(
        from_labels("job", old_texts, np.array([old_texts.index(cell) for cell in old])),
        [from_labels("job", new_texts, np.array([new_texts.index(cell) for cell in new]))],
    )


def labelling(**members):
    meanings = tuple(EVERYTHING if m == "*" else Meaning.of(m) for m in members.values())
    return Labelling("job", "category", tuple(members), meanings)


def twin(old, new, members):
    """Mean bits by the definition, row by row."""
    n, counts = len(old), Counter(old)
    everything = -sum(c / n * math.log2(c / n) for c in counts.values())
    covered = {label: set(counts) if m == "*" else set(m) for label, m in members.items()}
    q = sum(value not in covered[label] for value, label in zip(old, new, strict=True)) / n
    bits = 0.0
    for value, label in zip(old, new, strict=True):
        share = sum(counts[v] for v in covered[label]) / n
        expected = (1 - q) * (counts[value] / n) / share * (value in covered[label]) + q * counts[value] / n
        bits += math.log2(expected / (counts[value] / n)) / n
    return min(max(bits / everything, 0.0), 1.0)


def test_by_hand():
    old, members = ["a", "b", "c", "d"], {"ab": ["a", "b"], "cd": ["c", "d"], "all": "*"}
    assert detail_of_column(crossing(old, ["ab", "ab", "cd", "cd"]), labelling(**members)) == 0.5  # one bit of two
    assert detail_of_column(crossing(old, ["all"] * 4), labelling(**members)) == 0
    assert detail_of_column(crossing(old, ["ab", "ab", "all", "all"]), labelling(**members)) == 0.25
    half = detail_of_column(crossing(old, ["ab", "ab", "cd", "cd"]), labelling(**members), published=0.5)
    assert half == 0.25  # half of the rows were left out
    assert detail_of_column(crossing(["a"] * 4, ["a"] * 4)) == 0  # it says the same in every row


@pytest.mark.parametrize("seed", range(8))
def test_as_the_slow_twin_says(seed):
    rng = np.random.default_rng(seed)
    members = {"ab": ["a", "b"], "bcd": ["b", "c", "d"], "a": ["a"], "all": "*"}
    old = rng.choice(list("abcd"), 60).tolist()
    fitting = {v: [label for label, m in members.items() if m == "*" or v in m] for v in "abcd"}
    new = [rng.choice(fitting[v]) if rng.random() < 0.8 else rng.choice(list(members)) for v in old]  # some are false
    assert detail_of_column(crossing(old, new), labelling(**members)) == pytest.approx(twin(old, new, members))


def test_labels_that_partition_the_values_keep_the_mutual_information():
    rng = np.random.default_rng(1)
    old = rng.choice(list("abcdef"), 200, p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05]).tolist()
    members = {"x": ["a", "f"], "y": ["b", "c", "d"], "z": ["e"]}
    new = [next(label for label, m in members.items() if v in m) for v in old]

    def entropy(cells):
        return -sum(c / len(cells) * math.log2(c / len(cells)) for c in Counter(cells).values())

    shared = entropy(old) + entropy(new) - entropy(list(zip(old, new, strict=True)))
    assert detail_of_column(crossing(old, new), labelling(**members)) == pytest.approx(shared / entropy(old))


def test_labels_given_out_at_random_tell_nothing_however_different_the_values_are():
    """Counting pairs would find a bit in two labels that both stand for everything, since no value occurs twice."""
    old = [f"v{i:03}" for i in range(300)]
    new = np.random.default_rng(0).choice(["one", "other"], 300).tolist()
    both = Labelling("job", "category", ("one", "other"), (EVERYTHING, EVERYTHING))
    assert detail_of_column(crossing(old, new), both) == 0
    swapped = np.random.default_rng(0).permutation(old).tolist()
    exact = Labelling("job", "category", tuple(old), tuple(Meaning.of([v]) for v in old))
    assert detail_of_column(crossing(old, swapped), exact) == 0
    assert detail_of_column(crossing(old, old), exact) == pytest.approx(1)


def test_a_release_states_its_detail_and_the_certificate_in_hundredths(tmp_path):
    release = Mondrian(5, split="information").release(people(), ROLES)
    assert set(release.detail.columns) == set(ROLES.quasi)
    assert 0 < release.detail.whole < 1
    assert release.detail.whole == pytest.approx(np.mean(list(release.detail.columns.values())))
    stated = release.certificate.detail
    assert stated.whole == round(release.detail.whole, 2)
    assert stated.columns == {name: round(value, 2) for name, value in release.detail.columns.items()}
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out" / "release").holds


def test_a_blank_column_has_no_detail_and_a_certificate_that_says_otherwise_is_found_out(tmp_path):
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 30, 60), "town": [f"t{i % 30}" for i in range(60)], "y": rng.integers(0, 2, 60)}
    release = TreeLadder(k=25).release(table, Roles(target="y", quasi=["age", "town"]))
    blank = [column.name for column in release.table.columns(release.roles.quasi) if column.levels == 1]
    assert blank
    assert all(release.detail.columns[name] == 0 for name in blank)
    certificate = release.certificate
    forged = certificate.detail.model_copy(update={"columns": certificate.detail.columns | {blank[0]: 0.5}})
    object.__setattr__(release, "certificate", certificate.model_copy(update={"detail": forged}))
    with pytest.raises(Exception, match="say the same in every row"):
        release.save(tmp_path / "out")


def test_coarser_releases_hold_less():
    def whole(k):
        return Mondrian(k=k).release(people(), ROLES).detail.whole

    assert whole(3) > whole(10) > whole(40)


def test_swapped_cells_count_by_what_they_tell():
    plain, swapped = (KActus2(5, swap=swap, random_state=1).release(people(), ROLES) for swap in (0.0, 1.0))
    assert swapped.changes.swapped_cells >= 0
    assert all(0 <= value <= 1 for value in (*plain.detail.columns.values(), *swapped.detail.columns.values()))


# -- items ------------------------------------------------------------------------------------------------------------


def items_twin(before, after, features):
    """Sum of mutual information over the sum of entropies, item by item and row by row."""
    n, total, kept = len(before), 0.0, 0.0

    def bits(cells):
        return -sum(c / n * math.log2(c / n) for c in Counter(cells).values())

    for item in range(before.shape[1]):
        total += bits(before[:, item].tolist())
    for place, item in enumerate(features):
        x, y = before[:, item].tolist(), after[:, place].tolist()
        kept += bits(x) + bits(y) - bits(list(zip(x, y, strict=True)))
    return kept / total


@pytest.mark.parametrize("seed", range(4))
def test_items_as_the_slow_twin_says(seed):
    rng = np.random.default_rng(seed)
    before = (rng.random((80, 6)) < rng.uniform(0.1, 0.9, 6)).astype(int)
    features = [0, 2, 5]
    after = before[:, features] ^ (rng.random((80, 3)) < 0.1)
    found = detail_of_items(Baskets.of(before), Baskets.of(after.astype(int)), tuple(features))
    assert found.whole == pytest.approx(items_twin(before, after.astype(int), features))


@pytest.mark.parametrize("seed", range(4))
def test_grouped_items_are_read_off_their_groups(seed):
    rng = np.random.default_rng(seed)
    before = Baskets.of((rng.random((80, 6)) < rng.uniform(0.1, 0.9, 6)).astype(int), names=list("abcdef"))
    groups = GroupedItems.of({"g": ["a", "c", "e"], "d": ["d"]})
    after = groups.apply(before)
    found = detail_of_items(before, after, (0, 2, 3, 4), groups)
    own = before.matrix.toarray()
    each = np.stack([after.matrix.toarray()[:, group] for group in (0, 0, 1, 0)], axis=1)
    assert found.whole == pytest.approx(items_twin(own, each, [0, 2, 3, 4]))


@pytest.mark.parametrize("cells", [1, 100, 10_000_000])
def test_scores_of_many_items_in_many_steps_as_the_slow_twin_says(cells, monkeypatch):
    """Most pairs of an item and a step are counted together, others one by one; of an item the best step counts."""
    monkeypatch.setattr(information_kept, "_CELLS", cells)
    rng = np.random.default_rng(5)
    before = Baskets.of((rng.random((80, 9)) < 0.4).astype(int), names=list("abcdefghi"))
    scores = [ItemScore(tuple((name, 1 + place) for place, name in enumerate("abcdef"))), ItemScore((("i", 2),))]
    steps = {f"s{least}": ScoreStep(0, least) for least in (2, 5, 9)} | {"i": ScoreStep(1, 2), "g": ["g"]}
    groups = GroupedItems.of(steps, scores)
    after, own = groups.apply(before), before.matrix.toarray()
    shown, twin = after.matrix.toarray(), 0.0
    for item, places in [(item, (0, 1, 2)) for item in range(6)] + [(8, (3,)), (6, (4,))]:
        twin += max(items_twin(own, shown[:, [place]], [item]) for place in places)
    assert detail_of_items(before, after, tuple(range(9)), groups).whole == pytest.approx(twin)


def test_item_groups_of_several_items_are_released():
    rng = np.random.default_rng(0)
    rows = (rng.random((300, 40)) < rng.uniform(0.02, 0.3, 40)).astype(int)
    release = ItemGroups(k=5, random_state=0).release(Baskets.of(rows, rng.integers(0, 2, 300)))
    assert any(name.endswith("points or more") for name in release.columns)
    assert 0 < release.detail.whole < 1


def test_kept_items_are_whole_flipped_ones_are_not_and_sketches_have_none():
    data = baskets()
    greedy, flip = GreedySelector(5).release(*data), RandomFlip(5, random_state=1).release(*data)
    assert 0 < greedy.detail.whole <= 1
    assert 0 <= flip.detail.whole < 1
    assert greedy.certificate.detail.columns.keys() == {"items"}
