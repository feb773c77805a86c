# SPDX-License-Identifier: Apache-2.0
"""ItemGroups: publish groups of items, or scores in steps, so that more of a basket can be kept among k.

A row has a group if it has one of its members. Groups are held by more persons than their members are, and few persons
have a combination of groups to themselves. So far more groups than items can be published under the same promise as
GreedySelector and OptimalSelector make, and each speaks for many items. Groups are given, such as the category of each
product or the stem of each word, or learnt: items that speak for the same class about as strongly go together. Scores
are learnt, too: items get points, and it is published whether a row reaches so many points or more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Changed, Method
from discreet.methods.containment.fixed_order import in_a_fixed_order
from discreet.methods.containment.item_groups_choice import LearntForm, all_steps, best_variant, variants
from discreet.methods.containment.item_groups_learn import fitting, learnt_groups, of_common_classes
from discreet.methods.containment.item_groups_scores import holders, members_of, points_of, scores_of
from discreet.prepare.given_groups import given_groups
from discreet.privacy.containment import Containment
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.promise import Promise
from discreet.recoding.grouped_items import GroupedItems, ScoreStep
from discreet.recoding.item_scores import ItemScore, columns_of, has_one
from discreet.release.release import Changes

_NAMED = 3  # members in the name of a learnt group


class _Found(NamedTuple):
    """What may be published beside single items: what each means, and which rows have it."""

    means: Mapping[str, Sequence[str] | ScoreStep]
    matrix: sp.csr_array
    scores: Sequence[ItemScore] = ()


class ItemGroups(Method):
    """Publish groups of items, given or learnt, or scores of items, such that every person stays hidden among k.

    Parameters
    ----------
    k : int in [2, inf)
    groups : mapping of item to group, a CSV file with two columns (item, group), or None
        None learns from the labels. Given groups are published with all their members, whether or not anybody
        has them: make them without looking at the rows. Items without a group stay as they are.
    form : "auto", "groups" or "scores"
        What is learnt. "groups": items that speak for a class about as strongly; a row has a group if it has one of its
        items. "scores": for each class, points of items; a published item says that a row reaches so many points or
        more. "auto" takes what lets a linear model predict held-out rows best.
    coverage : "auto", or a share in [0, 1)
        Learnt groups: items join a group until so large a share of the rows has one of them; 0 leaves every item by
        itself. Scores: from step to step at least so large a share of the rows drops out, and k persons. "auto"
        compares several.
    beginnings : bool
        Whether beginnings of the names of items may have points, too, such as stems of words or the first digits of
        codes. Only those are used that k persons have and that tell of no item that fewer have, and
        with "auto" only where held-out rows are predicted better.
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Attributes
    ----------
    grouped_ : the published items with their members, or scores
    learnt_ : the form, the coverage and, of scores, the weights that were used; None if groups were given, or if there
        was nothing to learn: fewer than two classes that k persons have
    aucs_ : where several were compared, the area under the ROC curve on held-out rows for each

    Promise
    -------
    Containment(k) of what is published. Whoever knows items of a person knows groups of the person and points that the
    person reaches, and k persons have all of these. Members of learnt groups, and items and beginnings with points,
    which are published, are such that k persons have each. Which items go together, and how many points they have, is
    learnt from rows and labels and is not itself private. It is learnt from the classes that k persons have, only: what
    the persons of a rarer class have changes no group and no points.

    Examples
    --------
    >>> rows = [["pear", "tea"], ["apple", "milk"], ["plum"], ["fig"], ["milk"], ["tea", "milk"], ["tea"], ["tea"]]
    >>> kinds = {"pear": "fruit", "apple": "fruit", "plum": "fruit", "fig": "fruit", "milk": "drink", "tea": "drink"}
    >>> baskets = Baskets.from_transactions(rows, list("aaaabbbb"))
    >>> release = ItemGroups(k=2, groups=kinds, random_state=0).release(baskets)
    >>> release.columns, release.recode([["plum", "water"]]).matrix.toarray().tolist()
    (('fruit', 'drink'), [[1, 0]])
    """

    name = "item-groups"
    takes = frozenset({"baskets"})
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "groups": [Mapping, str, os.PathLike, None],
        "form": [StrOptions({"auto", "groups", "scores"})],
        "coverage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="left")],
        "beginnings": [bool],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
        form: str = "auto",
        coverage: str | float = "auto",
        beginnings: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.groups = groups
        self.form = form
        self.coverage = coverage
        self.beginnings = beginnings
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return Containment(self.k)

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        source, baskets = baskets, in_a_fixed_order(baskets)
        self.learnt_: LearntForm | None = None
        self.aucs_: dict[LearntForm, float] = {}
        found = self._given(baskets) if self.groups is not None else self._learnt(baskets)
        items = [] if found.scores and found.means else self._common(baskets).tolist()
        single = [item for item in items if baskets.names[item] not in found.means]
        matrix = sp.csr_array(sp.hstack([found.matrix, baskets.matrix[:, single] > 0]))
        kept = fitting(matrix, baskets, self.k, len(found.means), by="common" if found.scores else "telling")
        if not kept:
            raise CannotRelease(
                f"No group and no item can be kept at k = {self.k}: each is held by fewer than {self.k} persons, or by"
                " all. Lower k, or give larger groups."
            )
        if found.scores:
            kept.sort()  # a score's steps one after another
        means = [*found.means.items(), *((baskets.names[item], [baskets.names[item]]) for item in single)]
        self.grouped_ = GroupedItems.of(dict(means[place] for place in kept), found.scores)
        published = self.grouped_.apply(source)
        used = np.unique(self.grouped_.places_in(source)[0]).tolist()
        changes = Changes(quasi_cells=len(baskets) * len(kept), columns_dropped=baskets.shape[1] - len(used))
        trace = [
            {"feature": name, "gain": None, "kept": True, "members": n}
            for name, n in zip(self.grouped_.names, self.grouped_.sizes, strict=True)
        ]
        notes = [*one_hot_note(published, 0, list(range(len(kept)))), *self._remarks(found, kept)]
        return Changed(published, tuple(used), changes, trace, notes, self.grouped_)

    def _common(self, baskets: Baskets) -> np.ndarray:
        """The items that k persons have, but not all rows."""
        return np.flatnonzero((holders(baskets) >= self.k) & (baskets.support < len(baskets)))

    # -- what may be published beside single items ------------------------------------------------------------------

    def _given(self, baskets: Baskets) -> _Found:
        assert self.groups is not None
        members: dict[str, list[int]] = {}
        everything: dict[str, list[str]] = {}
        place = {name: item for item, name in enumerate(baskets.names)}
        for item, group in given_groups(self.groups).items():
            everything.setdefault(group, []).append(item)
            if item in place:
                members.setdefault(group, []).append(place[item])
        names = sorted(members)
        return _Found({name: everything[name] for name in names}, has_one(baskets, [members[name] for name in names]))

    def _learnt(self, baskets: Baskets) -> _Found:
        coverage = None if isinstance(self.coverage, str) else float(self.coverage)
        tried = variants(self.form, coverage, beginnings=self.beginnings)
        learnt_from = of_common_classes(baskets, self.k)
        if learnt_from is None:
            return _Found({}, has_one(baskets, []))
        self.learnt_, self.aucs_ = best_variant(learnt_from, self.k, tried)
        find = self._scores if self.learnt_.form == "scores" else self._groups
        return find(baskets, learnt_from, self.learnt_)

    def _groups(self, baskets: Baskets, learnt_from: Baskets, choice: LearntForm) -> _Found:
        groups = learnt_groups(learnt_from, self._common(learnt_from), choice.coverage)
        groups = [group for group in groups if len(group) > 1]
        support, means = learnt_from.support, dict[str, list[str] | ScoreStep]()
        for group in groups:
            often = sorted(group, key=lambda item: (-support[item], item))[:_NAMED]
            more = f" + {len(group) - _NAMED} more" if len(group) > _NAMED else ""
            name = _free(", ".join(baskets.names[item] for item in often) + more, {*baskets.names, *means})
            means[name] = [baskets.names[item] for item in group]
        return _Found(means, has_one(baskets, groups))

    def _scores(self, baskets: Baskets, learnt_from: Baskets, choice: LearntForm) -> _Found:
        assert learnt_from.labels is not None
        members = members_of(learnt_from, self.k, beginnings=choice.beginnings)
        members, _ = members.held_by(self.k, learnt_from.persons, beginnings=choice.beginnings)
        points = points_of(members, learnt_from.labels, baskets.n_classes, choice.weights)
        told, reached = members.told @ points, members.matrix @ points
        steps = sorted(all_steps(told, reached, learnt_from, self.k, choice.coverage))
        scores, means = scores_of(members, points), dict[str, list[str] | ScoreStep]()
        names = range(baskets.n_classes) if baskets.classes is None else baskets.classes
        for c, least in steps:
            name = f"{names[c]}: {least} points or more"
            means[_free(name, {*baskets.names, *means})] = ScoreStep(c, least)
        reached = {c: scores[c].of(baskets) for c in {c for c, _ in steps}}
        rows = [np.flatnonzero(reached[c] >= least) for c, least in steps]
        return _Found(means, columns_of(rows, len(baskets)), scores)

    def _remarks(self, found: _Found, kept: list[int]) -> list[str]:
        n_kept = sum(place < len(found.means) for place in kept)
        what = "steps of scores" if found.scores else "groups"
        beside = "" if n_kept and found.scores else f", and {len(kept) - n_kept} single items"
        remarks = [f"{n_kept} of {len(found.means)} {what} are published{beside}."]
        if self.groups is None and self.learnt_ is None:
            return [f"Fewer than two classes have {self.k} persons: nothing is learnt, and single items are published."]
        if self.groups is None:
            learnt = "points of items" if found.scores else "groups"
            private = "how many points an item has" if found.scores else "which items go together"
            remarks.append(
                f"The {learnt} were learnt from the rows and their labels. The promise covers what is published of a"
                f" person; {private} is not private."
            )
        else:
            remarks.append(
                "The groups were given; their members are published with them, whether or not anybody has them."
            )
        return remarks

    def _public_parameters(self) -> dict[str, Any]:
        return {
            "k": self.k,
            "groups": None if self.groups is None else "given",
            "form": self.form,
            "coverage": self.coverage,
            "beginnings": self.beginnings,
        }


def _free(name: str, taken: set[str]) -> str:
    """The name, marked until it is not taken."""
    while name in taken:
        name += " *"
    return name
