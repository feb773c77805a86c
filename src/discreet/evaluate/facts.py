# SPDX-License-Identifier: Apache-2.0
"""Facts about a dataset and its release, as plain dictionaries that can be written as JSON.

They hold names of columns and counts; of the values of cells only what is published anyway, as names of 0/1 columns.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.evaluate.changes import column_changes
from discreet.evaluate.detail import detail
from discreet.evaluate.risk import Risk, released_risk, risk
from discreet.privacy.promise import Both, Promise, Verdict
from discreet.recoding.published_tree import PublishedTree, children_of
from discreet.release.certificate import EVIDENCE
from discreet.release.counted_source import CountedSource
from discreet.release.losses import Losses
from discreet.release.release import Release


def source_facts(dataset: Dataset) -> dict[str, Any]:
    """The shape of the data, and what each column is for."""
    return {"shape": dataset.shape, "rows": len(dataset), **_SOURCES[dataset.shape](dataset)}


def risk_facts(dataset: Dataset) -> dict[str, Any]:
    """How identifiable the rows are as they came in."""
    return plain_risk(risk(dataset.data, dataset.quasi, persons=dataset.persons))


def release_facts(release: Release, dataset: Dataset) -> dict[str, Any]:
    """What a release of the data promises, what was measured, and what it changed."""
    return {
        "shape": release.shape,
        "method": release.method,
        "parameters": {name: value for name, value in release.parameters.items() if value is not None},
        "promise": str(release.promise),
        "promise_in_words": promise_in_words(release.promise),
        "does_not_protect": release.promise.does_not_protect,
        "verdict": _verdict(release.verdict, release.certificate.verdict.kind),
        "counted": release.certificate.counted,
        "columns_published": list(release.columns),
        **_CONTENTS.get(release.shape, _no_rows)(release, dataset),
        "notes": list(release.owner.notes),
        "certificate": release.certificate.model_dump(mode="json", exclude={"files", "seal"}),
    }


def _columns(dataset: Dataset) -> dict[str, Any]:
    table, roles = dataset.data, dataset.roles
    assert roles is not None
    columns = [
        {"name": column.name, "role": _role(column.name, roles), "kind": column.kind, "values": column.levels}
        for column in table.columns(roles.named)
    ]
    columns += [{"name": name, "role": "none", "kind": "", "values": None} for name in roles.without_role(table)]
    return {"columns": columns, "notes": getattr(dataset, "notes", [])}  # counted rows have none


def _items(dataset: Dataset) -> dict[str, Any]:
    return {"items": len(dataset.quasi), "ones": int(dataset.data.matrix.nnz)}


_SOURCES = {"table": _columns, "baskets": _items}


def _role(name: str, roles: Roles) -> str:
    named = {"target": (roles.target,), "person": (roles.person,)}
    named |= {role: getattr(roles, role) for role in ("quasi", "sensitive", "other", "identifiers")}
    return next(role for role, names in named.items() if name in names)


def _rows(release: Release, dataset: Dataset) -> dict[str, Any]:
    """Facts about published rows."""
    by_column = release.plan is not None or bool(release.column_changes)
    if release.detail is None and isinstance(dataset, CountedSource):  # synthetic rows are compared with rows
        by_column = False
    changes = [asdict(change) for change in column_changes(release, dataset.data)] if by_column else []
    if release.detail is None and by_column:  # synthetic rows: what the plan does to the source says nothing about them
        found = detail(release, dataset)
        changes = [change | {"detail": found.columns.get(change["name"], found.whole)} for change in changes]
    return {
        "rows": release.rows,
        "quasi_published": [column.name for column in release.certificate.columns if column.role == "quasi"],
        "items": {name: list(items) for name, items in release.items.items()},
        "quasi_before": len(dataset.quasi),
        "changes": asdict(release.changes),
        "losses": _losses(release.losses),
        "column_changes": [change | {"published": list(change["published"])} for change in changes],
        "risk_after": plain_risk(released_risk(release)),
    }


def _no_rows(release: Release, dataset: Dataset) -> dict[str, Any]:
    return {"tree": None}


def _model(release: Release, dataset: Dataset) -> dict[str, Any]:
    """How large the tree of a model is."""
    tree = PublishedTree.of(release.document)
    shown = [tree.nodes[leaf]["counts"] for leaf in tree.leaves if tree.nodes[leaf]["counts"] is not None]
    pure = [sum(counts) for counts in shown if sum(count > 0 for count in counts) == 1]
    depth = [0] * len(tree.nodes)
    for place, node in enumerate(tree.nodes):
        for child in children_of(node):
            depth[child] = depth[place] + 1
    questions = Counter(node["column"] for node in tree.nodes if "column" in node)
    return {
        "tree": {
            "leaves": len(tree.leaves),
            "depth": max(depth),
            "classes": len(tree.classes),
            "leaves_shown": len(shown),
            "pure_leaves": len(pure),
            "pure_rows": sum(pure),
            "questions": [{"column": name, "times": times} for name, times in questions.most_common()],
        }
    }


_CONTENTS = {"table": _rows, "baskets": _rows, "model": _model}


def _losses(losses: Losses) -> dict[str, Any]:
    return asdict(losses) | {"pure_group_share": losses.pure_group_share, "pure_row_share": losses.pure_row_share}


def _verdict(verdict: Verdict, kind: str) -> dict[str, Any]:
    return {
        "holds": verdict.holds,
        "sentence": verdict.sentence(),
        "required": verdict.required,
        "measured": verdict.measured,
        "rows_short": verdict.rows_short,
        "with_label": verdict.with_label,
        "kind": kind,
        "evidence": EVIDENCE[kind],
        "details": dict(verdict.details),
        "notes": list(verdict.notes),
        "parts": [_verdict(part, part.kind) for part in verdict.parts],
    }


def promise_in_words(promise: Promise) -> str:
    """The first paragraph of the promise's documentation."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    return " ".join(" ".join((type(part).__doc__ or str(part)).strip().split("\n\n")[0].split()) for part in parts)


def plain_risk(risks: Risk) -> dict[str, Any]:
    """A risk as JSON can hold it, with its shares."""
    return asdict(risks) | {
        "below": {str(size): rows for size, rows in risks.below.items()},
        "sizes": [asdict(size) for size in risks.sizes],
        "unique_share": risks.unique / max(risks.rows, 1),
        "largest": 1 / max(risks.k, 1),
    }
