# SPDX-License-Identifier: Apache-2.0
"""All measures of risk of one table, or of a release, in one result.

What can be measured depends on what is known about the population: a table of it, sampling weights, a sampling
fraction, or nothing. A measure that needs more than is known is left out, and the result says so.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet._version import __version__
from discreet.attacks.published import Published
from discreet.data.dataset import Dataset, rows_of
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, RolesError, Setting, did_you_mean, listing, shown
from discreet.evaluate.risk import Risk, risk
from discreet.recoding.patterns import recoded_rows
from discreet.release.certificate import CERTIFICATE
from discreet.release.release import Release
from discreet.risk.attackers import Attackers, attackers_of
from discreet.risk.individual_risk import IndividualRisk, household_risk, individual_risk
from discreet.risk.k_map_estimate import KMapEstimate, k_map
from discreet.risk.population_uniqueness import PopulationUniqueness, estimate_uniqueness
from discreet.risk.presence import DeltaPresence, delta_presence
from discreet.risk.safe_harbour import SafeHarbour, check_safe_harbour
from discreet.risk.sampled_groups import Population, SampledGroups
from discreet.risk.special_uniques import MOST_COLUMNS, SpecialUniques, special_uniques

FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False)
class RiskAssessment:
    """The risk of a table; the meaning of each part is in the module of its class.

    quasi            the columns that an attacker may know
    sample           the groups of the table
    attackers        prosecutor, journalist and marketer
    uniqueness       unique persons of the population, estimated; None if the population is not known, or was counted
    individual       the risk of each row, by Benedetti and Franconi, or counted; None if nothing is known
    by_pitman        the risk of each row under Pitman's model, which sees how rare values are; None where it was not
                     fitted; where it was, the attackers and k-map are estimated under it
    k_map            persons of the population who are like a row; None if nothing is known about it
    presence         delta-presence; None without a table of the population
    population       what was counted there; None without a table of the population
    special_uniques  minimal sample uniques and SUDA scores; None for more than 62 columns
    safe_harbour     columns that HIPAA's safe harbour does not let through
    notes            what was left out or assumed, and why
    """

    quasi: tuple[str, ...]
    sample: Risk
    attackers: Attackers
    uniqueness: PopulationUniqueness | None
    individual: IndividualRisk | None
    by_pitman: IndividualRisk | None
    k_map: KMapEstimate | None
    presence: DeltaPresence | None
    population: Population | None
    special_uniques: SpecialUniques | None
    safe_harbour: SafeHarbour
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the figures of single rows, for a file."""
        below = {str(size): rows for size, rows in self.sample.below.items()}
        return {
            "format": FORMAT,
            "discreet": __version__,
            "quasi": list(self.quasi),
            "sample": asdict(self.sample) | {"below": below},
            "attackers": self.attackers.to_dict(),
            "population": None if self.population is None else asdict(self.population),
            "uniqueness": None if self.uniqueness is None else self.uniqueness.to_dict(),
            "individual": None if self.individual is None else self.individual.to_dict(),
            "by_pitman": None if self.by_pitman is None else self.by_pitman.to_dict(),
            "k_map": None if self.k_map is None else self.k_map.to_dict(),
            "presence": None if self.presence is None else self.presence.to_dict(),
            "special_uniques": None if self.special_uniques is None else self.special_uniques.to_dict(),
            "safe_harbour": self.safe_harbour.to_dict(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        from discreet.risk.plain_words import sentences

        return "\n".join(sentences(self))


def risk_of(
    data: Any,
    roles: Roles | Sequence[str] | None = None,
    *,
    population: Any = None,
    sampling_fraction: float | None = None,
    weights: str | Sequence[float] | np.ndarray | None = None,
    household: str | None = None,
    threshold: float = 0.2,
    max_size: int | None = None,
) -> RiskAssessment:
    """Measure the risk of a table, as statistics offices do.

    Parameters
    ----------
    data
        A table: any frame, file or query; or a release, in memory or its published folder.
    roles
        Its roles, or the names of its quasi-identifiers. A release has its own.
    population
        A table of all persons of the population, those of `data` included, with the same quasi-identifiers. For a
        release it has the columns and values of the original table, and is recoded as the release is.
    sampling_fraction
        The share of the population that is in the table, if it is a simple random sample.
    weights
        The column with the sampling weights, or the weights: how many persons of the population a row stands for.
    household
        The column that tells the household; the individual risk is then that of the household.
    threshold
        A row counts as being at risk if an attacker is right more often than this.
    max_size
        The most columns of a minimal sample unique. All by default, up to 12 columns.

    >>> table = {"age": [20, 20, 20, 60, 60], "sex": ["f", "f", "m", "m", "m"], "w": [10, 10, 10, 10, 30]}
    >>> found = risk_of(table, ["age", "sex"], weights="w")
    >>> found.sample.unique, round(found.individual.expected, 2), found.special_uniques.contributions
    (1, 0.51, {'age': 1.0, 'sex': 1.0})
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        raise ParameterError(Setting("threshold"), " is a probability above 0, and at most 1.")
    source = _source(data, roles)
    notes: list[str] = list(source.notes)
    groups = _with_population(source, population, sampling_fraction, weights, notes)
    known = groups.fraction is not None
    uniqueness = None
    if groups.fraction is not None and groups.counted is None:
        uniqueness = estimate_uniqueness(groups.sizes, fraction=groups.fraction)
        notes += [f"The model {name!r} gave no estimate: {why}." for name, why in uniqueness.failures.items()]
    pitman = None if uniqueness is None else uniqueness.pitman
    individual = individual_risk(groups, threshold=threshold) if known else None
    by_pitman = None if pitman is None else individual_risk(groups, threshold=threshold, pitman=pitman)
    notes += _disagreement(uniqueness, individual, by_pitman)
    if household is not None:
        homes = source.column(household, "household")
        individual, by_pitman = (None if one is None else household_risk(one, homes) for one in (individual, by_pitman))
    special = _special(source, max_size, groups.fraction, notes)
    return RiskAssessment(
        quasi=source.quasi,
        sample=risk(source.table, source.quasi, persons=source.persons),
        attackers=attackers_of(groups, threshold=threshold, pitman=pitman),
        uniqueness=uniqueness,
        individual=individual,
        by_pitman=by_pitman,
        k_map=k_map(groups, pitman=pitman),
        presence=delta_presence(groups),
        population=groups.counted,
        special_uniques=special,
        safe_harbour=check_safe_harbour(source.table, source.published),
        notes=tuple(notes),
    )


def _special(source: _Source, max_size: int | None, fraction: float | None, notes: list[str]) -> SpecialUniques | None:
    if len(source.quasi) > MOST_COLUMNS:
        notes.append(f"Special uniques were not sought: there are more than {MOST_COLUMNS} quasi-identifiers.")
        return None
    found = special_uniques(source.table, source.quasi, persons=source.persons, max_size=max_size, fraction=fraction)
    if found.max_size < len(source.quasi) and max_size is None:
        notes.append(f"Minimal sample uniques were sought among sets of at most {found.max_size} columns.")
    return found


def _disagreement(
    uniqueness: PopulationUniqueness | None, individual: IndividualRisk | None, by_pitman: IndividualRisk | None
) -> list[str]:
    """What to say where the individual risk of Benedetti and Franconi is contradicted by another model.

    It depends on the size of a row's group and on weights alone, and cannot see that nearly everybody is unique. Rows
    that are unique in the population are all named correctly by whoever knows it.
    """
    if uniqueness is None or individual is None:
        return []
    rows = uniqueness.unique * uniqueness.fraction if by_pitman is None else by_pitman.expected
    if rows <= 2 * individual.expected:
        return []
    told = "unique in the population" if by_pitman is None else "named correctly under Pitman's model"
    also = ", and with it k-map, journalist and marketer" if by_pitman is None else ""
    return [
        f"About {rows:,.0f} rows are expected to be {told}, while the individual risk{also} expects"
        f" {individual.expected:,.1f} correct names: it cannot see how rare values are. Believe the higher figure."
    ]


@dataclass(frozen=True, eq=False)
class _Source:
    """A table, its quasi-identifiers and persons, and what is or would be published of it."""

    table: Table
    quasi: tuple[str, ...]
    published: tuple[str, ...]
    persons: np.ndarray | None
    person: str | None = None
    release: Published | None = None
    notes: tuple[str, ...] = ()

    def column(self, name: str, what: str) -> np.ndarray:
        if name not in self.table:
            raise RolesError(f"There is no column {shown(name)} of the {what}.{did_you_mean(name, self.table.names)}")
        return self.table.column(name).codes

    def weights(self, given: str | Sequence[float] | np.ndarray) -> np.ndarray:
        if not isinstance(given, str):
            return np.asarray(given, dtype=np.float64)
        codes = self.column(given, "weights")
        column = self.table.column(given)
        if column.kind != "number":
            raise DataError(f"The column {shown(given)} of the weights holds no numbers.")
        return np.append(column.numbers, np.nan)[codes]


def _source(data: Any, roles: Roles | Sequence[str] | None) -> _Source:
    if isinstance(data, Release | Published) or _is_release(data):
        if roles is not None:
            raise RolesError("A release has its own roles; leave them out.")
        return _of_release(Published.of(data))
    if isinstance(data, Dataset):
        data, roles = data.data, data.roles if roles is None else roles
    content = rows_of(data)
    if content.shape_name != "table":
        raise DataError("Risk is measured on tables; of baskets, `discreet inspect` counts who is unique.")
    if roles is None:
        raise RolesError("Risk is measured on quasi-identifiers. Pass their names, or discreet.Roles.")
    table: Table = content  # type: ignore[assignment]
    given = roles if isinstance(roles, Roles) else None
    quasi = given.quasi if given is not None else (roles,) if isinstance(roles, str) else tuple(roles)  # type: ignore[arg-type]
    absent = [name for name in (*quasi, *([given.person] if given and given.person else [])) if name not in table]
    if absent:
        raise RolesError(
            f"These columns are not in the table: {listing(absent)}.{did_you_mean(absent[0], table.names)}"
        )
    if not quasi:
        raise RolesError("Risk is measured on quasi-identifiers; none were named.")
    person = None if given is None else given.person
    hidden = () if given is None else (*given.identifiers, *([person] if person else []))
    published = tuple(name for name in table.names if name not in hidden)
    return _Source(table, quasi, published, None if person is None else table.column(person).codes, person)


def _of_release(release: Published) -> _Source:
    if release.shape != "table":
        raise DataError(f"Risk is measured on tables; the release holds {release.shape}.")
    table, quasi = release.table, tuple(name for name in release.quasi if name in release.table)
    if not quasi:
        raise DataError("The release publishes no quasi-identifier, so there is nothing to measure.")
    notes = []
    if not release.is_true:
        notes.append(
            "Cells of this release were drawn, swapped or flipped: a row that looks unique need not be the row of a"
            " person, and the figures say what an attacker who believes the rows would find."
        )
    return _Source(table, quasi, table.names, release.persons, None, release, tuple(notes))


def _is_release(data: Any) -> bool:
    return isinstance(data, str | os.PathLike) and (Path(data) / CERTIFICATE).is_file()


def _with_population(
    source: _Source,
    population: Any,
    fraction: float | None,
    weights: str | Sequence[float] | np.ndarray | None,
    notes: list[str],
) -> SampledGroups:
    """The groups of the table, with what is known about the population."""
    groups = SampledGroups.of(source.table, source.quasi, persons=source.persons)
    if sum(given is not None for given in (population, fraction, weights)) > 1:
        names = Setting("population"), ", ", Setting("sampling_fraction"), " and ", Setting("weights")
        raise ParameterError("Give one of ", *names, "; each tells the sampling.")
    if population is not None:
        everybody = _population(source, population)
        person = source.person
        persons = everybody.column(person).codes if person is not None and person in everybody else None
        found = groups.within(source.table, everybody, source.quasi, persons=persons)
        if found.counted is not None and found.counted.lacking:
            notes.append(
                f"The population lacks {found.counted.lacking:,} of the {groups.n_persons:,} persons of the table;"
                " their groups are taken to be as large as in the table."
            )
        return found
    if weights is not None:
        return groups.weighted(source.weights(weights), persons=source.persons)
    if fraction is not None:
        return groups.sampled(fraction)
    notes.append(
        "Nothing is known about the population, so the table is taken to be all of it. A sampling fraction, weights or"
        " a table of the population say more."
    )
    return groups


def _population(source: _Source, population: Any) -> Table:
    """The population as a table with the quasi-identifiers, in the form of the release if there is one."""
    table = Table.of(population)
    if source.release is not None and source.release.recoding is not None:
        table = recoded_rows(source.release.recoding, table, source.quasi)
    return table
