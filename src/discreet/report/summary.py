# SPDX-License-Identifier: Apache-2.0
"""Everything a report says, collected into one plain dictionary that can be written as JSON.

The renderers (html.py, text.py, `--json`) compute nothing: what is not in here is in no report. It holds names of
columns and counts; of the values of cells only what is published anyway, as names of 0/1 columns. FORMAT changes when
the meaning of a key does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from discreet._version import __version__
from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import RolesError
from discreet.evaluate.changes import column_changes
from discreet.evaluate.risk import Risk, released_risk, risk
from discreet.evaluate.utility import Utility
from discreet.losses import Losses
from discreet.privacy.base import Both, Promise, Verdict
from discreet.published_tree import PublishedTree, children_of
from discreet.release import Release
from discreet.report.words import EVIDENCE

FORMAT = 1


@dataclass(frozen=True)
class Outcome:
    """One release to report on; `utility` may be missing, and `no_utility` then says why.

    `folder` is what the report calls the folder to verify; `verified` says whether the saved files were checked.
    """

    release: Release
    utility: Utility | None = None
    no_utility: str = "It was not measured."
    folder: str = "release"
    verified: bool = True


def summarise(data: Table | Baskets, roles: Roles | None, outcomes: Sequence[Outcome], *, name: str) -> dict[str, Any]:
    """The report on one or more releases of `data`, which the owner calls `name`."""
    before = _risk_before(data, roles)
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": _source(data, roles),
        "risk_before": _risk(before),
        "releases": [_release(outcome, data) for outcome in outcomes],
        "holds": all(outcome.release.verdict.holds for outcome in outcomes),
    }


def _risk_before(data: Table | Baskets, roles: Roles | None) -> Risk:
    if isinstance(data, Baskets):
        return risk(data)
    if roles is None:
        raise RolesError("A report on a table needs the roles of its columns.")
    persons = None if roles.person is None else data.column(roles.person).codes
    return risk(data, roles.quasi, persons=persons)


def _source(data: Table | Baskets, roles: Roles | None) -> dict[str, Any]:
    if isinstance(data, Baskets):
        return {"shape": "baskets", "rows": len(data), "items": data.shape[1], "ones": int(data.matrix.nnz)}
    assert roles is not None
    named = [data.column(name) for name in roles.named]
    columns = [
        {"name": column.name, "role": _role(column.name, roles), "kind": column.kind, "values": column.levels}
        for column in named
    ]
    columns += [{"name": name, "role": "none", "kind": "", "values": None} for name in roles.without_role(data)]
    return {"shape": "table", "rows": len(data), "columns": columns}


def _role(name: str, roles: Roles) -> str:
    named = {"target": (roles.target,), "person": (roles.person,)}
    named |= {role: getattr(roles, role) for role in ("quasi", "sensitive", "other", "identifiers")}
    return next(role for role, names in named.items() if name in names)


def _release(outcome: Outcome, data: Table | Baskets) -> dict[str, Any]:
    release = outcome.release
    has_rows = release.table is not None or release.baskets is not None
    return {
        "shape": release.shape,
        "method": release.method,
        "parameters": {name: value for name, value in release.parameters.items() if value is not None},
        "promise": str(release.promise),
        "promise_in_words": _in_words(release.promise),
        "does_not_protect": release.promise.does_not_protect,
        "verdict": _verdict(release.verdict, release.certificate.verdict.kind),
        "counted": release.certificate.counted,
        "verified": outcome.verified,
        "folder": outcome.folder,
        "columns_published": list(release.columns),
        **(_rows(release, data) if has_rows else _document(release)),
        "utility": None if outcome.utility is None else asdict(outcome.utility),
        "no_utility": outcome.no_utility if outcome.utility is None else "",
        "notes": list(release.notes),
        "certificate": release.certificate.model_dump(mode="json", exclude={"files", "seal"}),
    }


def _rows(release: Release, data: Table | Baskets) -> dict[str, Any]:
    """What there is to say where rows are published."""
    by_column = release.plan is not None or bool(release.column_changes)
    changes = [asdict(change) for change in column_changes(release, data)] if by_column else []
    return {
        "rows": len(release.table if release.table is not None else release.baskets),  # type: ignore[arg-type]
        "quasi_published": [column.name for column in release.certificate.columns if column.role == "quasi"],
        "items": {name: list(items) for name, items in release.items.items()},
        "quasi_before": data.shape[1] if isinstance(data, Baskets) else len(release.source_quasi),
        "changes": asdict(release.changes),
        "losses": _losses(release.losses),
        "column_changes": [change | {"published": list(change["published"])} for change in changes],
        "risk_after": _risk(released_risk(release)),
    }


def _document(release: Release) -> dict[str, Any]:
    """What there is to say where a document is published and no rows: of a model, how large its tree is."""
    if release.document is None or release.shape != "model":
        return {"tree": None}
    tree = PublishedTree.of(release.document)
    shown = [tree.nodes[leaf]["counts"] for leaf in tree.leaves if tree.nodes[leaf]["counts"] is not None]
    pure = [sum(counts) for counts in shown if sum(count > 0 for count in counts) == 1]
    depth = [0] * len(tree.nodes)
    for place, node in enumerate(tree.nodes):
        for child in children_of(node):
            depth[child] = depth[place] + 1
    asked = Counter(node["column"] for node in tree.nodes if "column" in node)
    return {
        "tree": {
            "leaves": len(tree.leaves),
            "depth": max(depth),
            "classes": len(tree.classes),
            "leaves_shown": len(shown),
            "pure_leaves": len(pure),
            "pure_rows": sum(pure),
            "questions": [{"column": name, "times": times} for name, times in asked.most_common()],
        }
    }


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


def _in_words(promise: Promise) -> str:
    """The first sentence of the promise's documentation."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    return " ".join((type(part).__doc__ or str(part)).strip().splitlines()[0] for part in parts)


def _risk(found: Risk) -> dict[str, Any]:
    return asdict(found) | {
        "below": {str(size): rows for size, rows in found.below.items()},
        "sizes": [asdict(size) for size in found.sizes],
        "unique_share": found.unique / found.rows,
        "largest": 1 / found.k,
    }
