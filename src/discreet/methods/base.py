# SPDX-License-Identifier: Apache-2.0
"""How every method makes a release: validate, plan, apply, check.

To write a method, implement `promise` and one of these: `_decide` if rows of a table are grouped and published as their
group, `_plan` if columns are left out or turned into items, `_keep` for baskets (`_change` if cells are changed). This
base class drops identifiers and columns without a role, orders rows by published content and fresh randomness alone,
and checks the promise on what would be published.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import is_engine
from discreet.data.baskets import Baskets
from discreet.data.dataset import Dataset, is_matrix
from discreet.data.document import Document
from discreet.data.item_rows import ItemRows
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.memory import engine_of
from discreet.engines.protocol import Engine, state_of
from discreet.errors import CannotRelease, DataError, PromiseBroken, RolesError
from discreet.foundation.estimators import Estimator
from discreet.foundation.parameters import check_parameters
from discreet.foundation.randomness import Randomness
from discreet.foundation.system import give_back_memory
from discreet.methods.engine_release import (
    EngineDecision,
    check_columns,
    needs_rows,
    notations_of,
    publish_groups,
)
from discreet.methods.fresh_order import fresh_basket_order, fresh_order
from discreet.methods.grouping import Decision, Grouping
from discreet.methods.limits import check_limit
from discreet.methods.plain_parameters import plain
from discreet.methods.published_rows import (
    counted_changes,
    items_of,
    no_record,
    published_columns,
    recoded_population,
    refuse_clashes,
    refuse_marks,
    roles_of_published,
)
from discreet.prepare.given_hierarchies import hierarchy_notes
from discreet.privacy.containment import Containment
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.km_anonymity import KmAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.release.data_subjects import DataSubjects
from discreet.release.information_kept import Detail, detail_of_items, detail_of_kept
from discreet.release.ledger import Account
from discreet.release.losses import changes_of_columns, crossings, penalty_of
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

    @property
    def keeps_items(self) -> bool:
        """Whether it keeps items of baskets by their counts and ones, so that it takes baskets outside memory."""
        return False

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

    def _keep_stored(
        self, stored: ItemRows, randomness: Randomness
    ) -> tuple[list[int], list[dict[str, Any]], list[str]]:
        """As `_keep`, of baskets outside memory, and notes for the owner."""
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
            roles, data = data.roles, data.handed_out(by_cells=self.by_cells)
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
        release = self._release_of(data, roles, y, randomness)
        release.owner.seed = randomness.seed
        return release

    def _release_of(self, data: object, roles: object, y: object, randomness: Randomness) -> Release:
        if isinstance(roles, Roles):
            self._must_take("table")
            if is_engine(data):
                return self._release_engine(engine_of(data), roles, randomness)
            table = Table.by_cells(data) if self.by_cells else Dataset.unchecked(data, roles).with_warnings()
            return self._release_table(table, roles, randomness)
        labels = y if roles is None else roles
        if not is_matrix(data):
            raise RolesError(
                f"{type(self).__name__}.release needs roles for a table:"
                " release(table, Roles(target=..., quasi=[...]))."
                " Baskets are passed as a scipy or NumPy matrix, or as discreet.Baskets, with labels."
            )
        self._must_take("baskets")
        if isinstance(data, ItemRows) and not data.in_memory:
            return self._release_stored(data, labels, randomness)
        return self._release_matrix(data, labels, randomness)

    def _release_matrix(self, data: Any, labels: Any, randomness: Randomness) -> Release:
        return self._release_baskets(Baskets.of(data, labels), randomness)

    def _release_stored(self, stored: ItemRows, labels: Any, randomness: Randomness) -> Release:
        """A release of baskets outside memory: the kept items are published, and only these come into memory."""
        if not self.keeps_items:
            raise DataError(
                f"{type(self).__name__} with these parameters needs whole rows, and these baskets are outside memory."
                " Use GreedySelector, or read as many rows as fit into memory (discreet.Baskets)."
            )
        if labels is not None:
            raise DataError("Baskets outside memory have labels of their own: leave out y.")
        stored.check_for_release()
        self._enough(len(stored) if stored.persons is None else len(np.unique(stored.persons)))
        features, trace, notes = self._keep_stored(stored, randomness)
        changes = Changes(quasi_cells=len(stored) * len(features), columns_dropped=stored.shape[1] - len(features))
        changed = Changed(stored.keep(features), tuple(features), changes, trace, notes)
        detail = detail_of_kept(stored.support, len(stored), features)
        stored.forget()
        return self._release_changed(changed, detail, randomness)

    # -- tables ----------------------------------------------------------------------------------------------------

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        roles.check_for_release(table, needs_target=self.needs_target)
        refuse_marks(table, roles)
        person = None if roles.person is None else table.column(roles.person)
        self._enough(len(table) if person is None else person.levels)
        decision = self._plan(table, roles, randomness)
        source = table
        if decision.rows is not None:
            table = table.select([name for name in table.names if name in roles.named]).take(decision.rows)
            person = None if roles.person is None else table.column(roles.person)
        published = decision.published
        if published is None:
            assert decision.plan is not None
            published = decision.plan.apply(table)
        columns = [column for name in table.names for column in published_columns(name, table, roles, published)]
        refuse_clashes([column.name for column in columns])
        released = Table(columns, frame=table.frame)
        before = table.select(roles.quasi) if self.promise.needs_source and decision.population is None else None
        published_roles, items = roles_of_published(roles, published), items_of(published, roles)
        order = fresh_order(released, randomness, before)
        left_out = len(source) - len(table)
        labellings = () if decision.plan is None else decision.plan.labellings
        counted, written, weights = (table, published, None) if decision.distinct is None else decision.distinct
        crossed = crossings(counted, written, roles.quasi, weights)
        column_changes = changes_of_columns(crossed, labellings, left_out)
        if left_out:  # of the table as it came, not of the rows that are published
            column_changes = tuple(replace(one, values_before=source.column(one.name).levels) for one in column_changes)
        changes = decision.changes or counted_changes(crossed, swapped=decision.swapped, rows_dropped=left_out)
        old = source if weights is None else counted
        penalty = penalty_of(labellings, old, written, roles.quasi, left_out, weights)
        content = released.take(order)
        del (
            released,
            columns,
            published,
            crossed,
            counted,
            written,
            old,
        )  # in the order of the source; there may be many
        decision.published = decision.distinct = None
        give_back_memory(len(source))
        return self._checked(
            Release(
                content=content,
                owner=self._owner_files(
                    persons=None if person is None else person.codes[order],
                    evidence=recoded_population(decision) if before is None else before.take(order),
                    trace=decision.trace,
                    notes=[*decision.notes, *no_record(decision.plan), *hierarchy_notes(self, roles)],
                ),
                roles=published_roles,
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                plan=decision.plan,
                source_quasi=roles.quasi,
                items=items,
                changes=changes,
                column_changes=column_changes,
                penalty=penalty,
                written=table.notations,
            )
        )

    # -- engines ---------------------------------------------------------------------------------------------------

    def check_engine(self) -> None:
        """DataError if the method cannot release the rows of an engine; before any of them is looked at."""
        if why := self._needs_rows():
            raise needs_rows(type(self).__name__, why)

    def decides_in_parts(self, roles: Roles) -> bool:
        """Whether the method can decide on more distinct rows of an engine than memory holds."""
        return False

    def _needs_rows(self) -> str:
        """Why the method needs all rows in memory; empty if it decides on the counts of distinct rows."""
        own = type(self)
        decides = own._decide is not Method._decide or own._release_engine is not Method._release_engine
        return "" if decides else "it decides about single rows"

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        """As `_release_table`, of rows that an engine counts and publishes, which never come whole into memory."""
        self.check_engine()
        state = state_of(engine)
        check_columns(engine, roles, needs_target=self.needs_target)
        decided = self._decide_engine(engine, roles, randomness)
        give_back_memory(decided.n_rows)
        published_roles, items = roles_of_published(roles, decided.labels), items_of(decided.labels, roles)
        content, persons = publish_groups(engine, roles, decided, state=state)
        decided, decision = replace(decided, labels={}, found=None), decided.decision  # there may be many groups
        assert decision.plan is not None
        return self._checked(
            Release(
                content=content,
                owner=self._owner_files(
                    persons=persons or None,
                    evidence=recoded_population(decision),
                    source=decided.source(engine, roles),
                    trace=decision.trace,
                    notes=[*decision.notes, *no_record(decision.plan), *hierarchy_notes(self, roles)],
                ),
                roles=published_roles,
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                plan=decision.plan,
                source_quasi=roles.quasi,
                items=items,
                changes=counted_changes(decided.crossed, swapped=decided.swapped, rows_dropped=decided.left_out),
                column_changes=changes_of_columns(decided.crossed, decision.plan.labellings, decided.left_out),
                penalty=decided.penalty,
                written=notations_of(engine, roles.quasi),
            )
        )

    def _decide_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> EngineDecision:
        """What to publish of an engine's rows; by default from `_decide`, on their distinct rows."""
        rows = CodedRows.of(engine, roles.quasi, target=roles.target, person=roles.person)
        refuse_marks(rows, roles)
        self._enough(rows.n_persons)
        grouping = self._decide(rows, roles, randomness)
        if grouping.of_single_rows:
            raise needs_rows(type(self).__name__, "it decides about single rows")
        return EngineDecision.of(grouping, rows, roles)

    # -- baskets ---------------------------------------------------------------------------------------------------

    def _release_baskets(self, baskets: Baskets, randomness: Randomness) -> Release:
        baskets.check_for_release()
        self._enough(len(baskets) if baskets.persons is None else len(np.unique(baskets.persons)))
        changed = self._change(baskets, randomness)
        detail = detail_of_items(baskets, changed.baskets, changed.features, changed.groups)
        return self._release_changed(changed, detail, randomness)

    def _release_changed(self, changed: Changed, detail: Detail, randomness: Randomness) -> Release:
        published = changed.baskets
        order = fresh_basket_order(published, randomness)
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
                item_detail=detail,
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
        """The owner's files; the seed is added at the end."""
        return OwnerFiles(**files)

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
        return {name: plain(value) for name, value in parameters.items()}
