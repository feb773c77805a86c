# SPDX-License-Identifier: Apache-2.0
"""Minimality: what does it reveal about sensitive values that a group was not cut further?

Paper: R. Wong, A. Fu, K. Wang, J. Pei, "Minimality Attack in Privacy Preserving Data Publishing", 2007. A method that
generalises no more than its promise asks for gives away why it stopped. Anyone who knows the method, its parameters and
the quasi-identifiers of the persons (a public register) sees which cuts of a group would have left k persons on both
sides. That such a cut was not made means that one side would have had fewer than l different sensitive values.

Mondrian cuts a group while any cut between two neighbouring values of any column leaves both sides what they need, so
each cut that the counts of persons allow was refused for its sensitive values. The group's rows are published; whose
they are is not. Of all ways to hand them out to the group's persons, which are equally likely beforehand, those that
would not have had each of these cuts refused are ruled out. What is left gives the posterior of each person's value;
the prior is the value's share in the group. Ways are drawn by chance; a group of which nearly all ways are ruled out is
left at its prior.

Success is how likely the true value of a person is afterwards, the baseline how likely it was. Only groups count in
which a cut was refused.
Other methods are not inverted, and `why_not` says why.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, in_words
from discreet.attacks.group_members import GroupMembers
from discreet.attacks.homogeneity import codes_among
from discreet.attacks.published import Published
from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.evaluate.confidence import mean_chance
from discreet.recoding.axis import Axis
from discreet.recoding.readable import readable_axis

DRAWN = 4000  # ways at a time
MOST = 40_000  # ways at most
ENOUGH = 200  # ways that were not ruled out
LARGEST = 200  # persons of a group

_CLASS = "its cuts depend on the classes of all rows at once, so a single group does not show why it was not cut"
_NOT_INVERTED = {
    "kactus": _CLASS,
    "kactus2": _CLASS,
    "kadet": _CLASS,
    "tree-ladder": _CLASS,
    "tds": "unless l or t are given, it requires k only, which depends on quasi-identifiers; " + _CLASS,
    "tdr": "unless l or t are given, it requires k only, which depends on quasi-identifiers; " + _CLASS,
}


def minimality(case: Case) -> list[Finding]:
    """What refused cuts tell of the sensitive values, for each sensitive column."""
    published = case.published
    if why := why_not(published):
        raise CannotAttack(f"Not applicable: {why}.")
    assert published.roles is not None
    names = [name for name in published.roles.sensitive if name in case.table]
    if not names:
        raise CannotAttack("Inferred values cannot be checked: the known table lacks the sensitive columns.")
    members = GroupMembers.of(published, case.table)
    groups = _refused(case, members)
    if not groups:
        raise CannotAttack(
            f"Not applicable: none of the {int(members.is_known.sum())} groups with known members has a cut that the"
            " number of persons allows, so no cut was refused for its sensitive values."
        )
    chosen = np.sort(np.random.default_rng(case.random_state).permutation(len(groups))[: case.targets])
    inferred = [_posteriors(published, groups[place], int(place)) for place in chosen]
    groups = [groups[place] for place in chosen]
    return [_finding(case, members, groups, inferred, name) for name in names]


def why_not(published: Published) -> str:
    """Why the decisions of the method are not inverted; empty if they are."""
    parameters = published.parameters
    if published.method != "mondrian":
        return _NOT_INVERTED.get(published.method, "what this method refuses to publish is not inverted")
    if parameters.get("l") is None:
        return "without l no cut is refused for its sensitive values, only for the number of persons"
    if parameters.get("labels", "local") not in ("readable", "local", "hierarchy"):
        return "cuts may be limited to public values, and it is unknown which ones were tried"
    if parameters.get("relaxed"):
        return "rows with equal values are split at random, and the cuts tried depend on it"
    if published.persons is not None:
        return "persons have several rows, and assignments of these are not enumerated"
    return ""


@dataclass(frozen=True, eq=False)
class _Group:
    """The persons of a group, as places in the known table, its published rows, and who is left of each refused cut."""

    persons: np.ndarray
    rows: np.ndarray
    cuts: np.ndarray


def _refused(case: Case, members: GroupMembers) -> list[_Group]:
    """The groups in which the number of persons would have allowed a cut, with these cuts."""
    published, table = case.published, case.table
    assert published.roles is not None
    k, l = int(published.parameters["k"]), int(published.parameters["l"])  # noqa: E741
    ranks = _ranks(published, table, published.roles)
    order = np.argsort(members.group_of_known, kind="stable")
    start = np.searchsorted(members.group_of_known[order], np.arange(len(members.codes) + 1))
    rows = np.argsort(members.pattern_of_row, kind="stable")
    first = np.searchsorted(members.pattern_of_row[rows], np.arange(len(members.codes) + 1))
    groups = []
    for group in np.flatnonzero(members.is_known & (members.sizes <= LARGEST)):
        persons = order[start[group] : start[group + 1]]
        cuts = []
        for rank in ranks:
            mine = rank[persons]
            lefts = [mine <= value for value in np.unique(mine)[:-1]]
            cuts += [is_left for is_left in lefts if min(is_left.sum(), (~is_left).sum()) >= max(k, l)]
        if cuts:
            groups.append(_Group(persons, rows[first[group] : first[group + 1]], np.unique(np.array(cuts), axis=0)))
    return groups


def _ranks(published: Published, table: Table, roles: Roles) -> list[np.ndarray]:
    """The order in which the method can have cut each column. Categories only where their order is that of names."""
    parameters, ranks = published.parameters, []
    names, k = [name for name in roles.quasi if name in table], int(parameters["k"])
    median, labels = parameters.get("split", "median") == "median", parameters.get("labels", "local")
    rows = CodedRows.of(table, names)
    for name in names:
        if table.column(name).kind == "category" and not (median and labels in ("local", "readable")):
            continue
        is_round = median and labels == "readable"
        axis = readable_axis(rows, name, rarest=k) if is_round else Axis.of(rows, name, rarest=k)
        ranks.append(axis.rank_of_code[table.column(name).codes])
    return ranks


def _posteriors(published: Published, group: _Group, random_state: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each sensitive column, the prior of the group's values and the posterior of each of its persons."""
    assert published.roles is not None
    columns = published.table.columns(published.roles.sensitive)
    values = [column.codes[group.rows].astype(np.int64) for column in columns]
    ways = _ways(values, group.cuts, int(published.parameters["l"]), random_state)
    inferred = {}
    for column, mine in zip(columns, values, strict=True):
        prior = np.bincount(mine, minlength=column.levels + 1) / len(mine)
        posterior = np.tile(prior, (len(mine), 1))
        if len(ways) >= ENOUGH:
            handed = mine[ways]
            posterior = np.stack([(handed == code).mean(axis=0) for code in range(len(prior))], axis=1)
        inferred[column.name] = prior, posterior
    return inferred


def _ways(values: list[np.ndarray], cuts: np.ndarray, least: int, random_state: int) -> np.ndarray:
    """Ways to hand the rows out to the persons under which each cut leaves one side too few values of a column."""
    rng, n = np.random.default_rng([random_state, len(values[0])]), len(values[0])
    consistent: list[np.ndarray] = []
    for _ in range(MOST // DRAWN):
        ways = np.argsort(rng.random((DRAWN, n)), axis=1)
        possible = np.ones(DRAWN, dtype=bool)
        for is_left in cuts:
            refused = np.zeros(DRAWN, dtype=bool)
            for mine in values:
                handed = mine[ways]
                refused |= (_different(handed[:, is_left]) < least) | (_different(handed[:, ~is_left]) < least)
            possible &= refused
        consistent.append(ways[possible])
        if sum(map(len, consistent)) >= 10 * ENOUGH:
            break
    return np.concatenate(consistent)


def _different(codes: np.ndarray) -> np.ndarray:
    """How many different values each line has."""
    ordered = np.sort(codes, axis=1)
    return 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)


def _finding(
    case: Case,
    members: GroupMembers,
    groups: list[_Group],
    inferred: list[dict[str, tuple[np.ndarray, np.ndarray]]],
    name: str,
) -> Finding:
    """How likely the true value of a person is, before and after."""
    truth = codes_among(case.published.table.column(name), case.table.column(name))
    before, after, moved, most = [], [], 0, (0.0, 0.0)
    for group, by_column in zip(groups, inferred, strict=True):
        prior, posterior = by_column[name]
        mine = truth[group.persons]
        before.append(float(_of(np.broadcast_to(prior, posterior.shape), mine).mean()))
        after.append(float(_of(posterior, mine).mean()))
        moved += not np.allclose(posterior, prior)
        gain = posterior - prior
        place = np.unravel_index(int(gain.argmax()), gain.shape)
        most = max(most, (float(gain[place]), float(posterior[place])))
    knows = tuple(dict.fromkeys(map(case.published.source, case.published.quasi)))
    return Finding(
        attack=f"minimality of {name}",
        question=f"What probability can an attacker who knows everybody's {in_words(knows)}, and why groups were not"
        f" cut, give to a person's true {name}?",
        success=mean_chance(np.array(after)),
        targets=len(groups),
        baseline=float(np.mean(before)),
        note=f"In {len(groups)} of {int(members.is_known.sum())} groups a cut was refused for its sensitive values."
        " Guessing uses the rows of a group alone."
        f" The largest gain is for a value that becomes {most[1]:.0%} likely and was {most[1] - most[0]:.0%}.",
        units="groups",
        kind="value",
        column=name,
        detail=f"Probabilities change in {moved} groups.",
        knows=knows,
    )


def _of(chances: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The chance that each person's true value has; none for one that is not published."""
    return np.where(true >= 0, chances[np.arange(len(true)), np.maximum(true, 0)], 0.0)
