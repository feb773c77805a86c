# SPDX-License-Identifier: Apache-2.0
"""Downcoding: what lies below a label, if labels are as tight as they can be?

Paper: A. Cohen, "Attacks on Deidentification's Defenses", 2022. A method that writes a group by the lowest label that
its values have in common says more than the label: were all values in one part of it, that part would be the label. So
some value lies elsewhere, and where the other parts are rare, most likely just one does. With the distribution of the
values the attacker knows how many rows of a group hold a rare value, though k rows look alike.

The attack: of each group and each of its labels that has a part (a value that the label names, a finer published label,
a child in a hierarchy that the attacker has) take the commonest part, and the share of values under the label that lie
outside it, as seen in all other groups. Of n rows the number outside is binomial; tight labels say that it is not 0.
Where it most likely would be 0, the attacker states the likeliest number above 0. The baseline is how likely that
statement is without knowing that labels are tight. Where they are not tight the statement is right no more often than
that: nothing is gained.

It is tried on groups of which the known table tells whom they hold.

Departures from the paper: 1. The paper builds data and hierarchies on which the attack undoes nearly all labels; here
any release is attacked. 2. The part is the commonest one only, and the rows outside it are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, in_words, per_person
from discreet.attacks.group_members import GroupMembers, fits_of
from discreet.attacks.label_meanings import Reading
from discreet.data.column import SUPPRESSED
from discreet.evaluate.confidence import mean_chance
from discreet.prepare.given_hierarchies import given_hierarchies
from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import written

TELLING = 0.5  # the chance that all rows lie in the part, from which on it tells something that they do not


def downcoding(case: Case) -> list[Finding]:
    """How many rows of a group hold something else than the commonest part of its label?"""
    published = case.published
    assert published.roles is not None
    trees = given_hierarchies(case.hierarchies, published.roles)
    members = GroupMembers.of(published, case.table, trees=trees, by_other_columns=True)
    statements = [one for column in range(len(members.readings)) for one in _of_column(members, column, trees)]
    if not statements:
        raise CannotAttack(
            "Nothing can be inferred: no label has a part in which all rows of the group would most likely lie, in"
            " groups of which the known table tells whom they hold. If labels are those of trees, give the hierarchies."
        )
    groups = np.array([one.group for one in statements])
    chosen = np.random.default_rng(case.random_state).permutation(np.unique(groups))[: case.targets]
    is_chosen = np.isin(groups, chosen)
    right = per_person(np.array([one.stated == one.true for one in statements])[is_chosen], groups[is_chosen])
    prior = per_person(np.array([one.prior for one in statements])[is_chosen], groups[is_chosen])
    belief = per_person(np.array([one.belief for one in statements])[is_chosen], groups[is_chosen])
    rows = int(members.sizes[chosen].sum())
    names = sorted(
        {members.readings[one.column].published.name for one, keep in zip(statements, is_chosen, strict=True) if keep}
    )
    return [
        Finding(
            attack="downcoding",
            question="Can an attacker who assumes that labels are tight say how many rows of a group lie outside the"
            " commonest part of its label?",
            success=mean_chance(right),
            targets=len(right),
            baseline=float(prior.mean()),
            note=f"Labels of {in_words(names)}; of {len(members.codes)} groups {int(members.is_known.sum())} could be"
            " tried.",
            units="groups",
            kind="label",
            detail=f"{int(is_chosen.sum())} statements about {rows} rows; if labels are tight,"
            f" {belief.mean():.0%} should be right.",
            knows=(),
        )
    ]


@dataclass(frozen=True)
class _Statement:
    """Of a group and a column: how many rows are said to lie outside the part, how likely that is if labels are not
    tight and if they are, and how many do.
    """

    group: int
    column: int
    stated: int
    prior: float
    belief: float
    true: int


def _of_column(members: GroupMembers, column: int, trees: Mapping[str, Hierarchy]) -> Iterator[_Statement]:
    """The statements about one column."""
    reading = members.readings[column]
    tree = trees.get(reading.labelling.source)
    fits = fits_of(reading, tree)
    is_known = members.is_known
    inside = np.flatnonzero((members.group_of_known >= 0) & is_known[members.group_of_known])
    cells = np.zeros((len(members.codes), len(reading.known.values) + 1), dtype=np.int64)  # rows by group and value
    np.add.at(cells, (members.group_of_known[inside], reading.known.codes[inside]), 1)
    total = cells.sum(axis=0)
    parts = {code: _parts(reading, tree, fits, int(code)) for code in np.unique(members.codes[is_known, column])}
    findings = []
    for number in np.flatnonzero(is_known).tolist():
        code = int(members.codes[number, column])
        elsewhere = (total - cells[number]) * (fits[code] & ~_unnamed(reading, code))
        part = max(parts[code], key=lambda part: int(elsewhere[part].sum()), default=None)  # the first of equals
        outside = 0 if part is None else int(cells[number][fits[code] & ~part].sum())
        findings.append((number, part, elsewhere, outside))
    all_outside, all_rows = sum(outside for *_, outside in findings), int(total.sum())
    for number, part, elsewhere, outside in findings:
        n = int(cells[number].sum())
        if part is None or n < 2 or all_rows == n:
            continue
        # as if the group's number of rows more had shown what the other groups show on the whole
        usual = (all_outside - outside) / (all_rows - n)
        share = (int(elsewhere[~part].sum()) + n * usual) / (int(elsewhere.sum()) + n)
        chances = binom.pmf(np.arange(1, n + 1), n, share)
        if not 0 < chances.sum() <= 1 - TELLING:
            continue
        stated = int(chances.argmax())
        yield _Statement(
            number, column, stated + 1, float(chances[stated]), float(chances[stated] / chances.sum()), outside
        )


def _unnamed(reading: Reading, code: int) -> np.ndarray:
    """Values that a label stands for because no label names them: those of other groups say nothing of this one."""
    place = reading.places[code]
    others = place >= 0 and reading.labelling.meanings[place].others
    texts = reading.labelling.meanings[place].texts if others else ()
    return np.array([others and text not in texts for text in [*reading.known.texts, None]])


def _parts(reading: Reading, tree: Hierarchy | None, fits: np.ndarray, code: int) -> list[np.ndarray]:
    """Parts of a label, as values of the known column: children in the tree, values it names, finer labels."""
    label = [*reading.published.texts, None][code]
    if label is None:
        return []
    if tree is not None:
        return _children(reading, tree, label)
    place = reading.places[code]
    meaning = reading.labelling.meanings[place] if place >= 0 else None
    if meaning is not None and meaning.interval is None and not (meaning.but or meaning.prefixes):
        alone = {written(text) for text in meaning.texts} == {label} and not meaning.missing and not meaning.others
        texts = [*reading.known.texts, None]
        return [] if alone else [np.array([text == one for text in texts]) for one in sorted(meaning.texts)]
    whole = fits[code]
    finer = [line for line in fits if (line & ~whole).sum() == 0 and 0 < line.sum() < whole.sum()]
    return list(finer)


def _children(reading: Reading, tree: Hierarchy, label: str) -> list[np.ndarray]:
    """Of a label of a tree, the values below each child; of a leaf with missing cells, the leaf itself."""
    bare = label.removesuffix(" or missing")
    paths = [tree.paths[leaf] if leaf >= 0 else () for leaf in tree.leaf_codes(reading.known)]
    levels = [path.index(bare) for path in paths if bare in path]
    if not levels:
        return []
    level = min(levels)  # labels that repeat along a path are one node
    if level == 0:
        return [np.array([bare in path for path in paths])] if bare != label or bare == SUPPRESSED else []
    names = dict.fromkeys(path[level - 1] for path in paths if bare in path)
    common = {text for meaning in reading.labelling.meanings for text in meaning.texts}  # k persons have them
    named = np.array([text in common for text in [*reading.known.texts, None]])
    parts = [np.array([bool(path) and path[level - 1] == name and bare in path for path in paths]) for name in names]
    return sorted(parts, key=lambda part: not (part & named).any())
