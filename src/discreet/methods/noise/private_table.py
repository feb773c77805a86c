# SPDX-License-Identifier: Apache-2.0
"""Synthetic rows under differential privacy: noisy counts, and rows that fit them. Every published column is covered.

Paper: B. Zhang, N. Mohammed, V. S. Dave, M. Al Hasan, "Feature Selection for Classification under Anonymity
Constraint", Section 5.2: the part of Laplace-DP and Exponential-DP that publishes a contingency table.

Departures from the paper:

1. The label is a column of the table like the others, and covered like them.
2. The noise is geometric (whole numbers), on all cells; the loss is for one row replaced (factor 2), or for one row
   added or removed, as `neighbours` says. The paper leaves both open.
3. Noisy counts become consistent: whole, not negative, with the right sum.
4. Values and cuts come from a public domain.
5. Where a table has too many cells, rows come from a model of noisy counts of few columns at a time
   (private_table_model.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.tally import is_engine
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease, Setting
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.mechanisms.additive import Geometric
from discreet.methods.base import Method
from discreet.methods.fresh_order import fresh_order
from discreet.methods.noise.engine_levels import CountedLevels, check_engine, counted, counted_levels, engine_simulation
from discreet.methods.noise.private_rows import SEEDED, persons_of, simulation, some_rows
from discreet.methods.noise.private_table_budget import Accountant
from discreet.methods.noise.private_table_cells import MOST_CELLS, consistent, noisy, rows_of
from discreet.methods.noise.private_table_model import fit, rows
from discreet.methods.noise.private_table_numbers import with_numbers, without_numbers
from discreet.privacy.budget import NEIGHBOURS
from discreet.privacy.differential_privacy import DifferentialPrivacy
from discreet.privacy.noise import Noise
from discreet.recoding.patterns import recoded
from discreet.recoding.public_domain import NOT_PUBLIC, Domain, check_roles
from discreet.release.release import Changes, Release

_FEW_CELLS = 1000  # up to which "auto" counts all of them


@dataclass(frozen=True, eq=False)
class Drawn:
    """Synthetic rows with the noise behind them. Not a release: nothing is certified."""

    table: Table
    roles: Roles
    domain: Domain  # of the columns whose cells are written in its levels
    noise: tuple[Noise, ...]

    @property
    def data(self) -> Any:
        """The rows, as the kind of frame that came in."""
        return self.table.to_frame()

    def recode(self, rows: object) -> Table:
        """New rows in the form of these: values and intervals of the domain; numbers stay where these have numbers."""
        return recoded(self.domain, Table.by_cells(rows), self.table.names)


class PrivateTable(Method):
    """Synthetic rows with the columns of a table, under differential privacy.

    Parameters
    ----------
    epsilon : float
        What the release may cost.
    domain : mapping, or path of a TOML or JSON file
        For each published column its values, or `{"cuts": [...]}` for numbers and dates. Public: known without the
        rows. A cell that is missing or has another value counts as an empty cell, or as the first value where the
        column has none (`{"values": [...], "missing": False}`, and the target).
    delta : float
        Above 0 the model of marginals uses Gaussian noise, which is smaller for many columns: at 1e-9 from about 15 on.
        For fewer, 0 has less noise, and is the stronger promise.
    model : {"auto", "cells", "marginals"}
        Count all cells of the table, up to 2^24; or each column and some pairs with the label, and fit a tree-augmented
        naive Bayes model. "auto" counts up to 1,000 cells. Columns whose counts with the label noise would drown are
        counted without it.
    neighbours : {"replace-one", "add-remove"}
        Whose odds are compared: tables that differ in one row, the number of rows being public; or tables of which one
        has a row more, the number of rows being private.
    numbers : bool
        Publish numbers in place of intervals, drawn within them; dates stay intervals.
    rows_per_person : int
        With a person in the roles: of each person so many rows are drawn at most, and the promise is about persons. A
        row without an id is a person of its own.

    Promise
    -------
    `DifferentialPrivacy(epsilon, delta)` of all that is published, label and sensitive columns included. Public are the
    domain, the roles, the parameters, and for replace-one neighbours without persons the number of rows.

    >>> rows = Table.of({"sex": ["f", "m"] * 500, "ill": ["no", "yes"] * 500})
    >>> method = PrivateTable(epsilon=2, domain={"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> release = method.release(rows, Roles(target="ill", quasi="sex"))
    >>> release.rows, release.verdict.sentence()
    (1000, '2-differential privacy holds: 2 required, 2 measured.')
    """

    name = "private-table"
    gives = "synthetic"  # rows, none of them anyone's
    by_cells = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="left")],
        "model": [StrOptions({"auto", "cells", "marginals"})],
        "domain": [None, str, os.PathLike, Mapping],
        "neighbours": [StrOptions(set(NEIGHBOURS))],
        "numbers": [bool],
        "rows_per_person": [Interval(Integral, 1, None, closed="left")],
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        epsilon: float = 1.0,
        domain: Any = None,
        *,
        delta: float = 0.0,
        model: str = "auto",
        neighbours: str = "replace-one",
        numbers: bool = False,
        rows_per_person: int = 1,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.domain = domain
        self.delta = delta
        self.model = model
        self.neighbours = neighbours
        self.numbers = numbers
        self.rows_per_person = rows_per_person
        self.random_state = random_state

    @property
    def promise(self) -> DifferentialPrivacy:
        return DifferentialPrivacy(self.epsilon, self.delta, neighbours=self.neighbours)

    def simulate(self, data: object, roles: Roles) -> Drawn:
        """Rows for a study, never certified: with a seed, or with a domain that is read from the data."""
        if is_engine(data):
            randomness = engine_simulation(self, data, roles)
            return self._draw_engine(data, roles, Domain.of(self.domain, roles), randomness)
        randomness, table = simulation(self, data, roles)
        domain = Domain.from_data(table, roles) if self.domain is None else Domain.of(self.domain, roles)
        return self._draw(table, roles, domain, randomness)

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        self._check_public(randomness)
        check_roles(table, roles)
        self._check_rows(len(table), roles)
        domain = Domain.of(self.domain, roles)
        return self._release_drawn(self._draw(table, roles, domain, randomness), domain, roles)

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        self._check_public(randomness)
        check_engine(engine, roles, self)
        domain = Domain.of(self.domain, roles)
        self._check_rows(len(engine), roles)
        return self._release_drawn(self._draw_engine(engine, roles, domain, randomness), domain, roles)

    def _check_public(self, randomness: Randomness) -> None:
        if randomness.seeded:
            raise CannotRelease(SEEDED)
        if self.domain is None:
            raise CannotRelease(*NOT_PUBLIC)

    def _check_rows(self, n_rows: int, roles: Roles) -> None:
        if not n_rows and self.neighbours == "replace-one" and roles.person is None:
            raise CannotRelease("The table has no rows, and the number of rows is public. Pass a table with rows.")

    def _release_drawn(self, drawn: Drawn, domain: Domain, roles: Roles) -> Release:
        cells = len(drawn.table) * len(roles.quasi)
        return self._checked(
            Release(
                content=drawn.table,
                roles=drawn.roles,
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters() | _stated(domain, roles),
                noise=drawn.noise,
                plan=drawn.domain,
                source_quasi=roles.quasi,
                changes=Changes(quasi_cells=cells, changed_cells=cells),  # all are synthetic
            )
        )

    def _draw(self, table: Table, roles: Roles, domain: Domain, randomness: Randomness) -> Drawn:
        self._counts_all(domain)  # refused before the rows are looked at
        codes = domain.codes(table)
        if roles.person is not None:
            persons = persons_of(table.cells(str(roles.person)))
            codes = codes[:, some_rows(persons, int(self.rows_per_person), randomness)]
        return self._draw_counted(CountedLevels(codes), roles, domain, randomness, table.frame, table.names)

    def _draw_engine(self, engine: Any, roles: Roles, domain: Domain, randomness: Randomness) -> Drawn:
        self._counts_all(domain)
        levels = [(one.name, one.codes) for one in domain.columns]
        most = int(self.rows_per_person)
        rows = counted_levels(engine, levels, person=roles.person, most=most, randomness=randomness)
        return self._draw_counted(rows, roles, domain, randomness, "arrow", engine.names)

    def _draw_counted(
        self,
        counted_rows: CountedLevels,
        roles: Roles,
        domain: Domain,
        randomness: Randomness,
        frame: str,
        names: Sequence[str],
    ) -> Drawn:
        by_person = roles.person is not None
        accountant = Accountant(
            self.epsilon, self.delta, self.neighbours, int(self.rows_per_person) if by_person else 1
        )
        public = counted_rows.n_rows if self.neighbours == "replace-one" and not by_person else None
        synthetic, noise = (_from_cells if self._counts_all(domain) else _from_marginals)(
            counted_rows, domain, public, accountant, randomness
        )
        released = domain.table(synthetic, frame, names)
        if self.numbers:
            released = with_numbers(released, synthetic, domain, randomness)
        return Drawn(
            released.take(fresh_order(released, randomness)),
            Roles(
                target=roles.target,
                quasi=roles.quasi,
                sensitive=roles.sensitive,
                other=roles.other,
                allow_unique=roles.published,
            ),
            without_numbers(domain) if self.numbers else domain,
            tuple(noise),
        )

    def _counts_all(self, domain: Domain) -> bool:
        """Whether all cells are counted. Only what is public decides."""
        if self.model == "cells" and domain.cells > MOST_CELLS:
            raise CannotRelease(
                f"The domain has {domain.cells:,} cells; at most {MOST_CELLS:,} can be counted. Use ",
                Setting("model", "marginals"),
                ", fewer columns, wider intervals or fewer values.",
            )
        return self.model == "cells" or (self.model == "auto" and domain.cells <= _FEW_CELLS)


def _from_cells(
    counted_rows: CountedLevels, domain: Domain, public: int | None, accountant: Accountant, randomness: Randomness
) -> tuple[np.ndarray, list[Noise]]:
    mechanism = Geometric(sensitivity=accountant.step, epsilon=accountant.epsilon, neighbours=accountant.neighbours)
    counts = noisy(_counts(counted_rows, domain), mechanism, randomness)  # Section 5.2: Lap(1 / epsilon) per count
    total = max(int(counts.sum()), 1) if public is None else public
    return rows_of(consistent(counts, total, randomness), domain.sizes), [mechanism.noise]  # rows that match the counts


def _counts(counted_rows: CountedLevels, domain: Domain) -> np.ndarray:
    return counted(list(counted_rows.codes), domain.sizes, counted_rows.rows)


def _from_marginals(
    counted_rows: CountedLevels, domain: Domain, public: int | None, accountant: Accountant, randomness: Randomness
) -> tuple[np.ndarray, list[Noise]]:
    lines = [levels.in_order for levels in domain.columns]
    codes = [np.argsort(line)[of_rows] for line, of_rows in zip(lines, counted_rows.codes, strict=True)]
    ordered = [len(levels.order) for levels in domain.columns]
    empty = [levels.labels[-1] is None for levels in domain.columns]  # it is last in every line
    model = fit(codes, domain.sizes, public, accountant, randomness, ordered, counted_rows.rows, empty)
    drawn = rows(model, model.total, randomness)
    return np.stack([line[of_rows] for line, of_rows in zip(lines, drawn, strict=True)]), model.noise


def _stated(domain: Domain, roles: Roles) -> dict[str, Any]:
    """What a certificate says of parameters that are not plain: the domain as it was read, not where it was read."""
    return {"domain": domain.plain} | ({} if roles.person is not None else {"rows_per_person": None})
