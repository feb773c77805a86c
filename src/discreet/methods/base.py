# SPDX-License-Identifier: Apache-2.0
"""How every method makes a release: validate, plan, apply, check.

To write a method, implement `promise` and one of these: `_decide` if rows of a table are grouped and published as their
group, `_plan` if columns are left out or turned into items, `_keep` for baskets (`_change` if cells are changed). This
base class drops identifiers and columns without a role, orders rows by published content and fresh randomness alone,
and checks the promise on what would be published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import row_order
from discreet.data.baskets import Baskets
from discreet.data.column import SUPPRESSED, Column
from discreet.data.dataset import Dataset, is_matrix
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.memory import engine_of
from discreet.errors import CannotRelease, DataError, PromiseBroken, RolesError, listing
from discreet.foundation.estimators import Estimator
from discreet.foundation.parameters import check_parameters
from discreet.foundation.randomness import Randomness
from discreet.methods.grouping import Decision, Grouping
from discreet.methods.limits import check_limit
from discreet.prepare.hierarchy import Hierarchy
from discreet.privacy.containment import Containment
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.km_anonymity import KmAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import MOST_PATTERNS, Boxes
from discreet.recoding.plan import Plan, Recode
from discreet.release.data_subjects import DataSubjects
from discreet.release.information_kept import detail_of_items
from discreet.release.ledger import Account
from discreet.release.losses import Crossing, changes_of_columns, crossings, penalty_of
from discreet.release.owner_files import OwnerFiles
from discreet.release.release import Changes, Release


@dataclass
class Changed:
    """The result of `_change`: the rows to publish, in input order, and the columns that remain."""

    baskets: Baskets
    features: tuple[int, ...]
    changes: Changes
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    groups: GroupedItems | None = None


class Method(Estimator):
    """Base class of all methods; `release(table, roles)` makes a release that keeps the promise."""

    name: ClassVar[str] = ""
    takes: ClassVar[frozenset[str]] = frozenset({"table"})  # "table", "baskets" or both
    gives: ClassVar[str] = ""  # the shape of the released document, if it does not release rows
    needs_target: ClassVar[bool] = True  # whether there must be a target with classes
    by_cells: ClassVar[bool] = False  # whether the parsing of a cell depends on no other row
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @property
    def promise(self) -> Promise:
        raise NotImplementedError

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        """The group of each distinct row of quasi-identifiers, and the labels of each group."""
        raise NotImplementedError

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        """What to publish of a table; by default from `_decide`. Methods that work on columns override it."""
        rows = CodedRows.of(engine_of(table), roles.quasi, target=roles.target, person=roles.person)
        return self._decide(rows, roles, randomness).decision(rows)

    def _keep(self, baskets: Baskets, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        """The features of the baskets to keep, and the trace of the steps."""
        raise NotImplementedError

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        """What to publish of baskets; by default the features of `_keep`. Methods that change cells override it."""
        features, trace = self._keep(baskets, randomness)
        changes = Changes(quasi_cells=len(baskets) * len(features), columns_dropped=baskets.shape[1] - len(features))
        promise = self.promise
        by_presences = isinstance(promise, (Containment, KmAnonymity))
        notes = one_hot_note(baskets, getattr(promise, "absences", 0), features) if by_presences else []
        return Changed(baskets.keep(features), tuple(features), changes, trace, notes)

    def release(
        self, data: object, roles: object = None, *, y: object = None, account: Account | None = None
    ) -> Release:
        """Make a release of a table with its roles, `release(table, roles)`, of baskets, `release(X, y)`, or of a
        `Dataset`, which is one of the two.

        Raises CannotRelease when there is none, PromiseBroken when what came out does not keep the promise. `account`
        is asked before the data is touched, BudgetExceeded, and pays before the release is returned.
        """
        check_parameters(self, self._parameter_constraints)
        if isinstance(data, Dataset):
            roles, data = data.roles, data.data
        if account is None:
            return self._release(data, roles, y).about(DataSubjects(data, roles, y))
        account.afford(self.promise)
        people = DataSubjects(data, roles, y)
        account.warn(self.promise, people)
        release = self._release(data, roles, y).about(people)
        with release.paid_from(account):
            return release

    def _release(self, data: object, roles: object, y: object) -> Release:
        randomness = Randomness(getattr(self, "random_state", None))
        if isinstance(roles, Roles):
            self._must_take("table")
            table = Table.by_cells(data) if self.by_cells else Table.of(data)
            return self._release_table(table, roles, randomness)
        labels = y if roles is None else roles
        if not is_matrix(data):
            raise RolesError(
                f"{type(self).__name__}.release needs roles for a table:"
                " release(table, Roles(target=..., quasi=[...]))."
                " Baskets are passed as a scipy or NumPy matrix, or as discreet.Baskets, with labels."
            )
        self._must_take("baskets")
        return self._release_matrix(data, labels, randomness)

    def _release_matrix(self, data: Any, labels: Any, randomness: Randomness) -> Release:
        return self._release_baskets(Baskets.of(data, labels), randomness)

    # -- tables ----------------------------------------------------------------------------------------------------

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        roles.check_for_release(table, needs_target=self.needs_target)
        _refuse_marks(table, roles)
        person = None if roles.person is None else table.column(roles.person)
        self._enough(len(table) if person is None else person.levels)
        decision = self._plan(table, roles, randomness)
        source = table
        if decision.rows is not None:
            table = table.select(roles.named).take(decision.rows)
            person = None if roles.person is None else table.column(roles.person)
        published = decision.published
        if published is None:
            assert decision.plan is not None
            published = decision.plan.apply(table)
        columns = [column for name in table.names for column in _published(name, table, roles, published)]
        _refuse_clashes([column.name for column in columns])
        released = Table(columns, frame=table.frame)
        before = table.select(roles.quasi) if self.promise.needs_source and decision.population is None else None
        order = fresh_order(released, randomness, before)
        quasi = tuple(column.name for name in roles.quasi for column in published.get(name, ()))
        new_roles = Roles(
            target=roles.target,
            quasi=quasi,
            sensitive=roles.sensitive,
            other=roles.other,
            allow_unique=roles.allow_unique,
        )
        left_out = len(source) - len(table)
        labellings = () if decision.plan is None else decision.plan.labellings
        counted, written, weights = (table, published, None) if decision.distinct is None else decision.distinct
        crossed = crossings(counted, written, roles.quasi, weights)
        return self._checked(
            Release(
                content=released.take(order),
                owner=self._owner_files(
                    persons=None if person is None else person.codes[order],
                    evidence=_recoded_population(decision) if before is None else before.take(order),
                    trace=decision.trace,
                    notes=[*decision.notes, *_no_record(decision.plan)],
                ),
                roles=new_roles,
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                plan=decision.plan,
                source_quasi=roles.quasi,
                items=_items_of(published, roles),
                changes=decision.changes or _changes(crossed, swapped=decision.swapped, rows_dropped=left_out),
                column_changes=changes_of_columns(crossed, labellings, left_out),
                penalty=penalty_of(labellings, source, written, roles.quasi, left_out, weights),
            )
        )

    # -- baskets ---------------------------------------------------------------------------------------------------

    def _release_baskets(self, baskets: Baskets, randomness: Randomness) -> Release:
        baskets.check_for_release()
        self._enough(len(baskets) if baskets.persons is None else len(np.unique(baskets.persons)))
        changed = self._change(baskets, randomness)
        published = changed.baskets
        order = _fresh_basket_order(published, randomness)
        return self._checked(
            Release(
                content=published.take(order),
                owner=self._owner_files(
                    persons=None if published.persons is None else published.persons[order],
                    trace=changed.trace,
                    notes=changed.notes,
                ),
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                features=changed.features,
                groups=changed.groups,
                changes=changed.changes,
                item_detail=detail_of_items(baskets, changed.baskets, changed.features, changed.groups),
            )
        )

    # -- documents -------------------------------------------------------------------------------------------------

    def _release_document(
        self, document: Document, roles: Roles | None, trace: list[dict[str, Any]], notes: list[str] | None = None
    ) -> Release:
        """The release of a document; a method of this kind overrides `_release_table` or `_release_baskets`."""
        return self._checked(
            Release(
                content=document,
                owner=self._owner_files(
                    persons=document.persons, evidence=document.evidence, trace=trace, notes=notes or []
                ),
                roles=roles,
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                source_quasi=() if roles is None else roles.quasi,
                changes=Changes(quasi_cells=0),
            )
        )

    # -- shared ----------------------------------------------------------------------------------------------------

    def _owner_files(self, **files: Any) -> OwnerFiles:
        """The owner's files, with the seed."""
        return OwnerFiles(**files, seed=getattr(self, "random_state", None))

    def _checked(self, release: Release) -> Release:
        if not release.verdict.holds:
            raise PromiseBroken(f"{release.verdict.sentence()} Nothing was released.")
        if release.content.has_cells and getattr(self, "max_suppressed", None) is not None:
            check_limit(self.max_suppressed, release.losses)
        return release

    def _enough(self, persons: int) -> None:
        k = getattr(self, "k", None)
        if k is not None and persons < k:
            raise CannotRelease(
                f"k = {k} was asked, but there are only {persons} persons: no group can have {k}. Lower k."
            )

    def _must_take(self, shape: str) -> None:
        if shape not in self.takes:
            raise DataError(f"{type(self).__name__} releases {' and '.join(sorted(self.takes))}, not {shape}.")

    def _public_parameters(self) -> dict[str, Any]:
        """The parameters as certificates show them: never a seed (it would undo the shuffle), callables by name."""
        parameters = {name: value for name, value in self.get_params(deep=False).items() if name != "random_state"}
        return {name: _plain(value) for name, value in parameters.items()}


def _plain(value: object) -> object:
    """A parameter as JSON can hold it."""
    if callable(value):
        return getattr(value, "__name__", "callable")
    if isinstance(value, Hierarchy):
        return f"hierarchy of {value.levels} levels"
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def fresh_order(table: Table, randomness: Randomness, before: Table | None = None) -> np.ndarray:
    """An order of rows that reveals nothing: sorted by published content, then shuffled.

    Rows with equal content are interchangeable, so the result depends on the published rows and the randomness only,
    not on the order they came in. Where the owner keeps what the rows were `before`, that is part of their content.
    """
    columns = [*table.columns(), *(before.columns() if before is not None else [])]
    order = row_order((column.codes for column in columns), len(table), [column.levels for column in columns])
    return order[randomness.permutation(len(table))]


def _fresh_basket_order(baskets: Baskets, randomness: Randomness) -> np.ndarray:
    by_item = baskets.columns

    def codes() -> Iterator[np.ndarray]:
        yield np.asarray(baskets.labels, dtype=np.int64)
        for item in range(baskets.shape[1]):
            has = np.zeros(len(baskets), dtype=np.int64)
            has[by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]] = 1
            yield has

    order = row_order(codes(), len(baskets), [baskets.n_classes, *[2] * baskets.shape[1]])
    return order[randomness.permutation(len(baskets))]


def _recoded_population(decision: Decision) -> Table | None:
    """The population as it would be published, in an order of its own: the owner's evidence for k-map."""
    if decision.population is None or decision.plan is None:
        return None
    columns = [column for some in decision.plan.apply(decision.population).values() for column in some]
    table = Table(columns)
    return table.take(row_order((column.codes for column in columns), len(table), [one.levels for one in columns]))


def _items_of(published: dict[str, list[Column]], roles: Roles) -> dict[str, tuple[str, ...]]:
    """The published columns of each quasi-identifier that is not published as one column of its name."""
    names = {name: tuple(column.name for column in published.get(name, ())) for name in roles.quasi}
    return {name: items for name, items in names.items() if items and items != (name,)}


def _no_record(plan: Plan | None) -> list[str]:
    n_patterns = len(plan.codes) if isinstance(plan, (Boxes, Recode)) else 0
    if n_patterns <= MOST_PATTERNS:
        return []
    return [
        f"The release has {n_patterns:,} patterns, too many for a published record of the recoding (at most"
        f" {MOST_PATTERNS:,}): recipients cannot bring new rows to its form; Release.recode can."
    ]


def _refuse_clashes(names: list[str]) -> None:
    """Refuse items whose name, made of column and value, is also the name of a published column."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"Items of the release would have the names of published columns: {listing(twice)}. Rename them."
        )


def _refuse_marks(table: Table, roles: Roles) -> None:
    """Refuse source values that look like a suppressed cell."""
    marked = [name for name in roles.quasi if SUPPRESSED in table.column(name).texts]
    if marked:
        raise DataError(
            f"The quasi-identifiers {listing(marked)} hold the value {SUPPRESSED!r}, which stands for a suppressed cell"
            f" in a release. Rename the value, or declare it a mark of missing cells."
        )


def _published(name: str, table: Table, roles: Roles, quasi: dict[str, list[Column]]) -> list[Column]:
    """The published columns for a source column: none for identifiers and columns without a role."""
    if name in roles.quasi:
        return quasi.get(name, [])
    return [table.column(name)] if name in roles.published else []


def _changes(crossed: Sequence[Crossing], *, swapped: int, rows_dropped: int) -> Changes:
    """Count the quasi-identifier cells that were suppressed or changed."""
    return Changes(
        quasi_cells=sum(one.n_rows for one in crossed),
        suppressed_cells=sum(one.suppressed for one in crossed if one.keeps_name),
        changed_cells=sum(one.n_rows - one.same for one in crossed),
        swapped_cells=swapped,
        rows_dropped=rows_dropped,
        columns_dropped=sum(not one.new for one in crossed),
    )
