# SPDX-License-Identifier: Apache-2.0
"""The figures of a release that a policy limits, from its certificate and its published rows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from discreet.counting.row_counts import row_counts_of
from discreet.data.content import Content
from discreet.errors import DataError
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness
from discreet.release.certificate import Certificate, VerdictRecord
from discreet.release.verify import Verification, roles_of, verify
from discreet.report.cautions import blank_columns

# Promises that leave a person among at least k others, and the limits under which each kind of promise is accepted.
_OF_K = ("k-anonymity", "k-map", "containment", "(k, m)-anonymity", "k-anonymous model")
_LIMITED_BY = {
    **dict.fromkeys(_OF_K, ("least_k", "largest_risk")),
    "l-diversity": ("least_l",),
    "t-closeness": ("largest_t",),
    "differential privacy": ("largest_epsilon",),
}


@dataclass(frozen=True)
class Figures:
    """One release: its certificate, its content, and the public key of its signer, if there is one."""

    certificate: Certificate
    content: Content
    signer: str | None

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """The promise, or its parts."""
        promise = self.certificate.the_promise()
        return promise.promises if isinstance(promise, Both) else (promise,)

    @cached_property
    def limited_by(self) -> tuple[str, ...]:
        """The limits under which some part of the promise is accepted."""
        return tuple(limit for promise in self.promises for limit in _LIMITED_BY.get(promise.name, ()))

    @property
    def is_noisy(self) -> bool:
        """Whether the promise is about noise: published rows are then nobody's."""
        return self.epsilon is not None

    @cached_property
    def verdicts(self) -> tuple[tuple[Promise, VerdictRecord], ...]:
        verdict = self.certificate.verdict
        return tuple(zip(self.promises, verdict.parts or (verdict,), strict=True))

    @cached_property
    def k(self) -> float | None:
        """Persons, or rows, who are alike; the fewest by any part of the promise."""
        found = [verdict.measured for promise, verdict in self.verdicts if promise.name in _OF_K]
        parted = any(getattr(promise, "sets", None) or getattr(promise, "columns", None) for promise in self.promises)
        if parted or not found:
            found += [] if self.smallest_group is None else [self.smallest_group]
        return min(found, default=None)

    @cached_property
    def with_label(self) -> float | None:
        """The same for whoever knows the label, if that was counted."""
        known = [promise for promise in self.promises if _protects_label(promise)]
        found = [verdict.with_label for _, verdict in self.verdicts if verdict.with_label is not None]
        return self.k if known else min(found, default=None)

    @cached_property
    def smallest_group(self) -> int | None:
        """Rows in the smallest group of equal quasi-identifiers of a table."""
        quasi = self.certificate.names("quasi")
        if self.certificate.shape != "table" or not quasi:
            return None
        return int(row_counts_of(self.content, quasi).tally(quasi).sizes.min())

    @property
    def average_risk(self) -> float | None:
        """The mean chance to pick the right row in a group, if a table's rows are counted."""
        groups = self.certificate.groups
        if groups is None or self.certificate.shape != "table" or self.certificate.counted != "rows":
            return None
        return groups.groups / max(self.certificate.rows, 1)

    @property
    def one_class_share(self) -> float | None:
        """Share of the rows in groups of which all rows have one class."""
        groups, target = self.certificate.groups, self.certificate.names("target")
        if groups is None or not (target or self.certificate.shape == "baskets"):
            return None
        return groups.pure_rows / max(self.certificate.rows, 1)

    @property
    def fewest_values(self) -> int | None:
        """The fewest different values of a sensitive column in a group."""
        groups, sensitive = self.certificate.groups, self.certificate.names("sensitive")
        found = {} if groups is None else groups.diversity
        return min((found[name] for name in sensitive if name in found), default=None)

    @cached_property
    def t(self) -> float | None:
        """The distance of a group's sensitive values from those of all rows, the largest."""
        for promise, verdict in self.verdicts:
            if promise.name == TCloseness.name:
                return verdict.measured
        if self.certificate.shape != "table" or not self.certificate.names("sensitive"):
            return None
        return TCloseness().check(self.content, roles_of(self.certificate)).measured

    @property
    def epsilon(self) -> float | None:
        return self._noise("epsilon")

    @property
    def delta(self) -> float | None:
        return self._noise("delta")

    def _noise(self, parameter: str) -> float | None:
        found = [getattr(promise, parameter) for promise in self.promises if promise.name == "differential privacy"]
        return max(found, default=None)

    @cached_property
    def blank(self) -> tuple[str, ...] | None:
        """Published columns of a table that say the same in every row, the target not counted."""
        return blank_columns(self.certificate, self.content)

    @property
    def suppressed_share(self) -> float | None:
        changes = self.certificate.changes
        return changes.suppressed_cells / changes.quasi_cells if changes.quasi_cells else None


def figures_of(release: Any, signer: str | None = None) -> Figures:
    """The figures of a release in memory, of a verification, or of a published folder, which is verified."""
    if isinstance(release, (str, os.PathLike)):
        release = verify(release)
    if not isinstance(release, Verification):
        return Figures(release.certificate, release.content, signer)
    if release.certificate is None or release.content is None or not release.holds:
        raise DataError(f"A policy is checked on a release that is verified. {release.sentence()}")
    return Figures(release.certificate, release.content, release.signer)


def _protects_label(promise: Promise) -> bool:
    return bool(getattr(promise, "label_known", False) or getattr(promise, "public_class", False))
