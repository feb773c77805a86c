# SPDX-License-Identifier: Apache-2.0
"""Everything that a report says, as one plain dictionary that can be written as JSON.

The renderers (release_page.py, text.py, `--json`) compute nothing. The dictionary holds column names and counts, and
values of cells only where they are published anyway, as names of 0/1 columns. FORMAT changes when the meaning of a key
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from discreet._version import __version__
from discreet.counting.coded_rows import CodedRows
from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.evaluate.detail import (
    evident_warnings,
    kept_by_counts,
    kept_of_items,
    means_of_targets,
    warnings_of,
    what_is_kept,
)
from discreet.evaluate.distributions import distributions
from discreet.evaluate.facts import plain_risk, release_facts, risk_facts, source_facts
from discreet.evaluate.raw_use import RawUse
from discreet.evaluate.risk import item_risk, source_risk
from discreet.evaluate.utility import Utility
from discreet.release.counted_source import CountedSource
from discreet.release.release import Release
from discreet.release.verify import singled_out_remarks
from discreet.report.cautions import cautions_of_facts

FORMAT = 2
_NOT_SHOWN = (
    "The rows stay in an engine: tables of several columns, the distributions of columns and the use of rows without"
    " recoding are not shown, since they are read from rows."
)
_NO_TABLES = "The rows stay in an engine: tables of several items are not shown, since they are read from rows."


@dataclass(frozen=True)
class Outcome:
    """One release to report on; `utility` may be missing, and `no_utility` then says why.

    `own_rows` is the use of a release on its own rows, where nothing was measured on held-out ones: if they have to be
    recoded to be of use, so has every row. `folder` is the folder to verify, as named in the report; `verified` says
    whether the saved files were checked.
    """

    release: Release
    utility: Utility | None = None
    own_rows: RawUse | None = None
    no_utility: str = "Not measured."
    folder: str = "release"
    verified: bool = True


def summarise(
    data: object, roles: Roles | None, outcomes: Sequence[Outcome], *, name: str, guessed: Sequence[str] = ()
) -> dict[str, Any]:
    """Summarise one or more releases of a table with roles, or of baskets, which the owner calls `name`.

    `guessed` are the columns whose roles were guessed and not confirmed.
    """
    dataset = Dataset.unchecked(data, roles)
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": source_facts(dataset),
        "risk_before": risk_facts(dataset),
        "releases": [_with_cautions(_release(outcome, dataset), outcome.release, guessed) for outcome in outcomes],
        "holds": all(outcome.release.verdict.holds for outcome in outcomes),
    }


def summarise_counts(outcome: Outcome, engine: Any, roles: Roles, *, name: str) -> dict[str, Any]:
    """Summarise a release of rows that stay in `engine`: all that counts tell, made now if the method made none.

    Tables of several columns and the distributions of columns are left out; they are read from rows.
    """
    release, source = outcome.release, outcome.release.owner.source
    if source is None:  # the method reads cells, each by itself
        rows = CodedRows.of(engine, roles.quasi, target=roles.target, person=roles.person)
        source = CountedSource.of_rows(engine.names, roles, rows)
    kept = kept_by_counts(release, source).to_dict()
    facts = release_facts(release, source)  # type: ignore[arg-type]
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": source_facts(source),  # type: ignore[arg-type]
        "risk_before": plain_risk(source_risk(source)),
        "releases": [_of_counts(outcome, facts, kept, [], note=_NOT_SHOWN)],
        "holds": release.verdict.holds,
    }


def summarise_items(outcome: Outcome, stored: Any, *, name: str) -> dict[str, Any] | None:
    """Summarise a release of baskets that are not in memory (`discreet.engines.StoredBaskets`): all that counts tell.

    None if the ones of a single item have no room in memory, so that nobody knows which rows are alike.
    """
    release, groups = outcome.release, stored.row_groups()
    if groups is None:
        return None
    source: Any = _ItemSource(stored)
    kept, facts = kept_of_items(release, len(stored.names)).to_dict(), release_facts(release, source)
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": {
            "shape": "baskets",
            "rows": len(stored),
            "items": len(stored.names),
            "ones": int(stored.support.sum()),
        },
        "risk_before": plain_risk(item_risk(groups, stored.persons)),
        "releases": [_of_counts(outcome, facts, kept, distributions(release, source), note=_NO_TABLES)],
        "holds": release.verdict.holds,
    }


def _of_counts(
    outcome: Outcome, facts: dict[str, Any], kept: dict[str, Any], shares: list[Any], *, note: str
) -> dict[str, Any]:
    """What is said of a release whose rows are not in memory; `note` says what is not."""
    told = {
        "notes": [*facts["notes"], note],
        "kept": kept,
        "targets": {},
        "warnings": warnings_of(kept),
        "distributions": shares,
        "verified": outcome.verified,
        "folder": outcome.folder,
        "utility": None,
        "no_utility": outcome.no_utility,
    }
    return _with_cautions(facts | told, outcome.release)


@dataclass(frozen=True)
class _ItemSource:
    """What facts about a release ask of baskets that are not in memory."""

    data: Any

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.data.names


def _with_cautions(facts: dict[str, Any], release: Release, guessed: Sequence[str] = ()) -> dict[str, Any]:
    """What the promise leaves open comes first in every report; `policy` is filled in where there is one."""
    alone = singled_out_remarks(release.certificate, release.content)
    return facts | {"cautions": cautions_of_facts(facts, facts["kept"], guessed=guessed, alone=alone), "policy": None}


def with_policy(summary: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """The summary of one release with the lines of a policy about it."""
    (release,) = summary["releases"]
    return summary | {"releases": [release | {"policy": result}]}


def _release(outcome: Outcome, dataset: Dataset) -> dict[str, Any]:
    kept = what_is_kept(outcome.release, dataset)
    if outcome.utility is not None:
        kept = replace(kept, targets=outcome.utility.targets, raw=outcome.utility.raw)
    return release_facts(outcome.release, dataset) | {
        "kept": kept.to_dict(),
        "targets": means_of_targets(kept.to_dict()["targets"]),
        "warnings": warnings_of(kept.to_dict()) + evident_warnings(outcome.own_rows),
        "distributions": distributions(outcome.release, dataset),
        "verified": outcome.verified,
        "folder": outcome.folder,
        "utility": None
        if outcome.utility is None
        else asdict(outcome.utility) | {"targets": kept.to_dict()["targets"]},
        "no_utility": outcome.no_utility if outcome.utility is None else "",
    }
