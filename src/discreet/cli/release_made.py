# SPDX-License-Identifier: Apache-2.0
"""A release that was made, and what its owner is told about it: measures, a summary, a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from discreet.cli.options import remark, step
from discreet.errors import CannotRelease, DataError, RolesError

if TYPE_CHECKING:
    from discreet.data.dataset import Dataset
    from discreet.methods import Method
    from discreet.release.release import Release
    from discreet.report.summary import Outcome


@dataclass(frozen=True)
class Made:
    """A release that was made, what the report says about it, and further files for the owner.

    The summary is None if there is no report.
    """

    outcome: Outcome
    summary: dict[str, Any] | None
    owner_files: dict[str, bytes]

    def files(self, *, with_report: bool) -> dict[str, bytes]:
        """All files for the owner beside those of the release itself."""
        return self.owner_files | (_report(self.summary) if with_report and self.summary is not None else {})

    def with_limits(self, kept: dict[str, Any] | None) -> Made:
        """The same with the lines of the policy that it keeps."""
        from discreet.report.summary import with_policy

        if self.summary is None or kept is None:
            return self
        return replace(self, summary=with_policy(self.summary, kept))


def told(method: Method, release: Release, made: Callable[[], Made], candidates: dict[str, bytes]) -> Made:
    """A release with what its owner is told about it. Under differential privacy it stands without that: whether there
    is a release would tell what a row holds."""
    from discreet.report.summary import Outcome

    try:
        found = made()
        if method.by_cells:
            found.files(with_report=True)
        return found
    except Exception:
        if not method.by_cells:
            raise
    remark("The owner's report could not be made. The release stands.")
    return Made(Outcome(release, no_utility="Could not be measured."), None, candidates)


def measured(method: Method, release: Release, dataset: Dataset, evaluate: bool) -> Outcome:
    from discreet.evaluate.raw_use import raw_use_of_its_own_rows
    from discreet.report.summary import Outcome

    if release.shape == "sketches":
        return Outcome(
            release,
            no_utility="Not measured: use the classifiers of discreet.sketching.mining, which read sketches.",
        )
    if not dataset.has_target:
        return Outcome(release, no_utility="Not measured: there is no target to predict.")
    labelled = dataset.readable().labelled()
    if not evaluate:
        with step("Reading rows without recoding them"):
            own = raw_use_of_its_own_rows(release, labelled)
        return Outcome(release, own_rows=own, no_utility="Not measured; --evaluate measures it on held-out rows.")
    from discreet.evaluate.utility import holdout

    try:
        with step("Measuring accuracy on held-out rows"):
            return Outcome(release, holdout(method, labelled.checked()))
    except (CannotRelease, DataError, RolesError) as error:  # without the held-out rows there are too few
        return Outcome(release, no_utility=f"Could not be measured on held-out rows: {error}")


def summary_of(outcome: Outcome, dataset: Dataset, name: str) -> dict[str, Any]:
    from discreet.report.summary import summarise

    readable = dataset.readable()
    return summarise(readable, None, [outcome], name=name)


def _report(summary: dict[str, Any]) -> dict[str, bytes]:
    from discreet.report.owner_summary import summary_file
    from discreet.report.release_page import to_html

    return {"report.html": to_html(summary).encode()} | summary_file(summary)
