# SPDX-License-Identifier: Apache-2.0
"""The protocol of the entity disambiguation on made-up publications: who is in a reference, and what the score says."""

import numpy as np
import pytest
from benchmarks.disambiguation import protocol

from discreet import Baskets, GreedySelector


@pytest.fixture(scope="module")
def publications():
    """20 persons with 12 publications each; the words of a person are mostly the person's own subject."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(20), 12)
    subject = person % 5
    own = np.arange(60) // 12 == subject[:, None]
    return Baskets.of((rng.random((240, 60)) < np.where(own, 0.3, 0.01)).astype(int), person)


def persons_of(publications, row):
    return {int(publications.labels[publication]) for publication in row}


@pytest.mark.parametrize("draw", [protocol._as_in_life, protocol._matched])
def test_a_pure_reference_is_one_person_an_impure_one_several(publications, draw):
    pairs = list(draw(publications, np.random.default_rng(1)))
    assert len(pairs) == 74
    assert all(len(persons_of(publications, pure)) == 1 for pure, _ in pairs)
    assert all(2 <= len(persons_of(publications, impure)) <= 4 for _, impure in pairs)
    assert all(len(set(row)) == len(row) for pair in pairs for row in pair)
    sizes = [(len(pure), len(impure)) for pure, impure in pairs]
    if draw is protocol._matched:
        assert all(pure == impure for pure, impure in sizes)
    else:
        assert np.mean([impure for _, impure in sizes]) > 2 * np.mean([pure for pure, _ in sizes])


def test_the_score_is_the_equation(monkeypatch):
    """Two topics of two words each, by hand: u0 and u1 have one each, u2 has both."""
    monkeypatch.setattr(protocol, "TOPICS", 2)
    cells = np.array([[4, 4, 0, 0], [0, 0, 4, 4], [4, 4, 4, 4]] * 20)
    found = protocol.entropy(cells, cells, seed=0)
    assert found[2] > 1.8 * found[0] > 0
    assert found[2] > 1.8 * found[1] > 0
    nothing = np.zeros((1, 4), dtype=int)
    assert protocol.entropy(cells, nothing, seed=0)[0] == pytest.approx(0)
    other = protocol.entropy(cells, np.vstack([nothing, cells[:3]]), seed=0, of_topics=True)
    assert other.argmax() in (0, 3)
    assert other[0] > other[1]


def test_before_and_after_selection(publications):
    drawn = [protocol.references(publications, seed=0)]
    assert drawn[0].shape[0] == 148
    whole = protocol.as_published(None, drawn, seeds=1)
    kept = protocol.as_published(lambda: GreedySelector(5, random_state=0), drawn, seeds=1)
    assert whole.features == drawn[0].shape[1] > kept.features
    assert whole.auc[0] > 0.8
    assert kept.auc[0] > 0.6
    nested = protocol.nested(lambda: GreedySelector(5, random_state=0), drawn)
    assert nested.auc[0] > 0.6
    assert protocol.as_published(lambda: GreedySelector(140, random_state=0), drawn, seeds=1) is None
