# SPDX-License-Identifier: Apache-2.0
"""kADET: a decision tree that may be published, because at least k persons stand behind everything it states.

Paper: Friedman, Wolff, Schuster, "Providing k-anonymity in data mining", VLDB Journal 17, 2008.
Departures from the paper:
1. Only quasi-identifiers are asked about: the attacker is assumed to know everything that the tree asks.
2. Numbers and dates are cut in two where the class changes most, among the cuts that leave k persons on both sides;
   the paper has intervals. Missing comes after the largest number.
3. A split that fails is tried again with its values one level up the hierarchy, and then competes with the others by
   its own information gain.
4. A value that fewer than k persons have is never named. Its rows, and missing cells that fewer than k persons of a
   node have, follow the largest branch; so does an unseen value.
5. A class that fewer than k persons have is never named, and no leaf that holds one shows its counts.
6. The tree is pruned (Quinlan's pessimistic pruning), unless prune=False.
"""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import persons_per_group
from discreet.data.column import Column
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.memory import engine_of
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease, DataError, PromiseBroken
from discreet.foundation.parameters import Interval, check_parameters
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Method
from discreet.methods.engine_release import check_columns
from discreet.methods.trees.kadet_growth import Growth
from discreet.methods.trees.kadet_questions import BranchRule, CutQuestion, LabelQuestion, NodeEntries, Question
from discreet.prepare.given_hierarchies import HIERARCHIES, given_hierarchies, public_hierarchies
from discreet.prepare.hierarchy import Hierarchy
from discreet.privacy.k_anonymous_model import KAnonymousModel
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis
from discreet.recoding.published_tree import PublishedTree
from discreet.release.counted_source import CountedSource
from discreet.release.release import Release
from discreet.release.verify import verify


class KAdet(Method):
    """A decision tree classifier that is itself the release: every leaf is shared by k persons.

    Parameters
    ----------
    k : int in [2, inf)
    public_class : bool
        Whether attackers may know the class of persons, too: then every class within every leaf has k persons or none.
    prune : bool
        Whether branches that do not pay are taken back.
    hierarchies : mapping of column to Hierarchy or file, or a folder of files; None for automatic ones
        Of categories. Numbers and dates are cut and need none.
    random_state : int, RandomState, Generator or None
        Nothing is random here; it is taken so that all methods are made alike.

    Attributes
    ----------
    tree_ : PublishedTree
        The tree as it is published; `classes_` are the classes it knows.

    Promise
    -------
    KAnonymousModel(k, public_class), counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> model = KAdet(k=3).fit(table, Roles(target="y", quasi=["age", "sex"]))
    >>> model.predict({"age": [30, 70]}).tolist(), model.tree_.nodes[0]
    ([0, 1], {'column': 'age', 'cut': 50.0, 'below': 1, 'not_below': 2})
    """

    name = "kadet"
    gives = "model"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "public_class": [bool],
        "prune": [bool],
        "hierarchies": HIERARCHIES,
        "random_state": [Integral, None],
    }

    tree_: PublishedTree

    def __init__(
        self,
        k: int = 5,
        *,
        public_class: bool = False,
        prune: bool = True,
        hierarchies: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.public_class = public_class
        self.prune = prune
        self.hierarchies = hierarchies
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymousModel(self.k, self.public_class)

    # -- a classifier ----------------------------------------------------------------------------------------------

    def fit(self, table: object, roles: Roles) -> KAdet:
        """Grow the tree on a table; `release` does the same, and checks and certifies it."""
        check_parameters(self, self._parameter_constraints)
        self.tree_ = PublishedTree.of(self._grown(Table.of(table), roles))
        return self

    @property
    def classes_(self) -> np.ndarray:
        return self.tree_.classes_

    def predict(self, rows: object) -> np.ndarray:
        return self.tree_.predict(rows)

    def predict_proba(self, rows: object) -> np.ndarray:
        """Shares of the classes; NaN where the leaf does not show them."""
        return self.tree_.predict_proba(rows)

    def score(self, rows: object, y: object = None) -> float:
        return self.tree_.score(rows, y)

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> PublishedTree:
        return load_model(folder)

    def _public_parameters(self) -> dict[str, Any]:
        return super()._public_parameters() | {"hierarchies": public_hierarchies(self.hierarchies)}

    # -- a release -------------------------------------------------------------------------------------------------

    def _release_table(self, table: Table, roles: Roles, randomness: Randomness) -> Release:
        document = self._grown(table, roles)
        persons = None if roles.person is None else table.column(roles.person).codes
        evidence = table.select([name for name, _, _ in document.columns])
        return self._released(document.with_evidence(evidence, persons), roles)

    def _released(self, document: Document, roles: Roles) -> Release:
        self.tree_ = tree = PublishedTree.of(document)
        questioned = [node["column"] for node in tree.nodes if "column" in node]
        trace: list[dict[str, Any]] = [
            {"leaves": len(tree.leaves)},
            *({"column": c, "splits": questioned.count(c)} for c in roles.quasi),
        ]
        return self._release_document(document, roles, trace)

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        """The tree grows on counts; the rows behind it, which the owner keeps, are made of the distinct ones."""
        check_columns(engine, roles, needs_target=True)
        rows = CodedRows.of(engine, roles.quasi, target=roles.target, person=roles.person)
        document, entries, target = self._grown_on(rows, roles), rows.entries, rows.target
        assert target is not None
        row, label = np.repeat(entries.row, entries.rows), np.repeat(entries.label, entries.rows)
        columns = [Column(one.name, one.kind, one.values, one.codes[row]) for one in rows.columns]
        columns.append(Column(target.name, target.kind, target.values, label.astype(np.int32)))
        evidence = Table(columns).select([name for name, _, _ in document.columns])
        persons = None if entries.person is None else np.repeat(entries.person, entries.rows)
        release = self._released(document.with_evidence(evidence, persons), roles)
        release.owner.source = CountedSource.of_rows(engine.names, roles, rows)
        return release

    def _grown(self, table: Table, roles: Roles) -> Document:
        if not isinstance(roles, Roles):
            raise DataError("KAdet learns from a table with roles: fit(table, Roles(target=..., quasi=[...])).")
        roles.check_for_release(table)
        return self._grown_on(
            CodedRows.of(engine_of(table), roles.quasi, target=roles.target, person=roles.person), roles
        )

    def _grown_on(self, rows: CodedRows, roles: Roles) -> Document:
        self._enough(rows.n_persons)
        entries, target = rows.entries, rows.target
        assert target is not None
        with_class = rows.counts.sum(axis=0)
        if entries.person is not None:
            with_class = persons_per_group(entries.label, target.levels, entries.person)
        named = np.flatnonzero(with_class >= self.k)
        if not len(named) or (self.public_class and len(named) < target.levels):
            raise CannotRelease(
                f"k = {self.k} was asked, but {target.levels - len(named)} of the {target.levels} classes have fewer"
                f" persons; {'where the class is known, each' if self.public_class else 'one at least'} needs {self.k}."
                f" Lower k."
            )
        hierarchies = given_hierarchies(self.hierarchies, roles)
        growth = Growth(
            [self._question(rows, name, hierarchies.get(name)) for name in roles.quasi],
            BranchRule(self.k, self.public_class),
            [_plain(target, int(code)) for code in named],
            named,
            self.prune,
        )
        return self._document(target, roles, growth, growth.nodes(NodeEntries.of(rows)))

    def _question(self, rows: CodedRows, name: str, hierarchy: Hierarchy | None) -> Question:
        column = rows.column(name)
        if column.kind != "category":
            return CutQuestion(Axis.of(rows, name, rarest=self.k))
        return LabelQuestion.of(column, rows.persons_of(name)[:-1], self.k, hierarchy)

    def _document(self, target: Column, roles: Roles, growth: Growth, nodes: list[dict[str, Any]]) -> Document:
        """Of the columns only those that are asked about."""
        questioned = {node.get("column") for node in nodes}
        questions = [question for question in growth.questions if question.column.name in questioned]
        values = {question.column.name: question.values() for question in questions}
        columns = [(question.column.name, "quasi", question.column.kind) for question in questions]
        content = {
            "model": "decision tree",
            "counted": "rows" if roles.person is None else "persons",
            "classes": list(growth.classes),
            "values": {name: paths for name, paths in values.items() if paths is not None},
            "nodes": nodes,
        }
        return Document.of("model", [*columns, (target.name, "target", target.kind)], content)


def _plain(target: Column, code: int) -> Any:
    """A class as JSON holds it: numbers as numbers, all else as it is written."""
    value = target.values[code].as_py()
    return value if target.kind == "number" and isinstance(value, (int, float)) else target.texts[code]


def load_model(folder: str | os.PathLike[str]) -> PublishedTree:
    """The classifier in a published folder, which must verify: `discreet.load_model("out/release")`."""
    verification = verify(folder)
    if not verification.holds:
        raise PromiseBroken(f"The model is not loaded: {' '.join(verification.problems)}")
    assert verification.certificate is not None
    if verification.certificate.shape != "model":
        raise DataError(f"The folder holds a release of the shape {verification.certificate.shape!r}, not a model.")
    return PublishedTree.of(cast(Document, verification.content))
