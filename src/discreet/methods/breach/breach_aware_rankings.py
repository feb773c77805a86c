# SPDX-License-Identifier: Apache-2.0
"""Candidate subsets of attributes: two rankings (Figure 4), and a backward elimination down each (Figure 5).

Paper: Jafer, Matwin, Sokolova, Figures 4 and 5. `SubsetMeasure` defines what is measured of a subset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from discreet.choose.quadrants import region_of

_NEAR = 1e-9  # of a breach increase, where alpha is a decimal fraction and the increase a quotient of counts


@dataclass(frozen=True)
class MeasuredSubset:
    """A subset of the attributes, and what is known of it.

    performance  share of rows whose class a recipient predicts right
    pbi          privacy breach increase, of the worst of the sensitive attributes
    over         how far the breach increase is above what is allowed; 0 or less keeps it
    p_value      of the paired test that the performance is that of all the attributes
    keeps_up     whether the performance is as good as that of all the attributes, by the test that was asked for
    """

    attributes: tuple[str, ...]
    performance: float
    pbi: float
    over: float
    p_value: float = 1.0
    keeps_up: bool = True

    @property
    def size(self) -> int:
        return len(self.attributes)

    @property
    def is_private(self) -> bool:
        return self.over <= _NEAR


class SubsetMeasure(Protocol):
    """Measures subsets of the attributes; `learn` says which ones will be asked for next."""

    @property
    def attributes(self) -> tuple[str, ...]: ...

    @property
    def baseline(self) -> MeasuredSubset: ...

    def learn(self, subsets: Iterable[tuple[str, ...]]) -> None: ...

    def of(self, subset: tuple[str, ...]) -> MeasuredSubset: ...


@dataclass(frozen=True)
class Rankings:
    """The attributes, those to be removed first at the end.

    performance  PerfR: by how much worse the class is predicted without the attribute, high to low
    privacy      PrivR: by how much worse the sensitive attribute is predicted without it, low to high
    """

    performance: tuple[str, ...]
    privacy: tuple[str, ...]


def rankings(measure: SubsetMeasure) -> Rankings:
    """Both rankings, from the subsets that lack one attribute. Ties keep the order of the attributes."""
    everything = measure.attributes
    if len(everything) == 1:
        return Rankings(everything, everything)
    without = {name: tuple(other for other in everything if other != name) for name in everything}
    measure.learn(without.values())
    measured = {name: measure.of(subset) for name, subset in without.items()}
    return Rankings(
        performance=tuple(sorted(everything, key=lambda name: measured[name].performance)),  # Figure 4: PerfR
        privacy=tuple(sorted(everything, key=lambda name: -measured[name].pbi)),  # Figure 4: PrivR
    )


def eliminate(
    order: Sequence[str], measure: SubsetMeasure, accepts: Callable[[MeasuredSubset], bool]
) -> tuple[list[MeasuredSubset], list[dict[str, Any]]]:
    """Remove the attributes from the last to the first; a removal that is not accepted is put back for good.

    The candidates are the subsets that were accepted, each one in the one before; and the steps that led to them.
    """
    remaining, candidates, trace = set(order), list[MeasuredSubset](), list[dict[str, Any]]()
    for name in reversed(order):  # Figure 5: for (i = k, i > 0, i--)
        subset = tuple(other for other in measure.attributes if other in remaining and other != name)
        if not subset:
            continue
        candidate = measure.of(subset)
        removed = accepts(candidate)
        if removed:
            remaining.remove(name)
            candidates.append(candidate)
        trace.append({"attribute": name, "removed": removed, **_figures(candidate)})
    return candidates, trace


def merged(*lists: Iterable[MeasuredSubset]) -> list[MeasuredSubset]:
    """The candidates of several lists in their order, each subset once."""
    return list({candidate.attributes: candidate for candidates in lists for candidate in candidates}.values())


def region(candidate: MeasuredSubset, baseline: MeasuredSubset) -> str:
    """Where a candidate lies beside the baseline: I worse in both, II better class, III better privacy, IV both.

    Equal performance counts as better, and so does an equal breach: the baseline itself is in IV.

    >>> base = MeasuredSubset(("a", "b"), performance=0.74, pbi=0.0, over=0.0)
    >>> figures = ((0.7, 0.1), (0.8, 0.1), (0.7, -0.1), (0.74, -0.1))
    >>> [region(MeasuredSubset(("a",), p, b, 0.0), base) for p, b in figures]
    ['I', 'II', 'III', 'IV']
    """
    return region_of(useful=candidate.performance >= baseline.performance, private=candidate.pbi <= 0)


def categories(candidates: Sequence[MeasuredSubset]) -> list[str]:
    """Table 3: A is best in nothing, B in size, C in privacy, E in performance, D, F, G in two of them, H in all three.

    >>> categories([MeasuredSubset(("a", "b"), 0.8, 0.0, 0.0), MeasuredSubset(("a",), 0.8, 0.1, 0.0)])
    ['G', 'F']
    """
    best = max(c.performance for c in candidates), min(c.pbi for c in candidates), min(c.size for c in candidates)
    return [
        "ABCDEFGH"[4 * (c.performance == best[0]) + 2 * (c.pbi == best[1]) + (c.size == best[2])] for c in candidates
    ]


def _figures(candidate: MeasuredSubset) -> dict[str, Any]:
    return {
        "left": list(candidate.attributes),
        "performance": candidate.performance,
        "p_value": candidate.p_value,
        "pbi": candidate.pbi,
    }
