# SPDX-License-Identifier: Apache-2.0
"""Every claim beside its audited lower bound: exit status 1 if a bound lies above its claim.

python -m benchmarks.audits            100,000 runs of the inner mechanism on each of two neighbours; some minutes
python -m benchmarks.audits --quick    2,000 runs: seconds, and with less power

Controls are releases with half the noise that they claim, or with a delta a quarter. They must be refuted: an audit
that cannot tell proves nothing. A quick run may not tell, and shows them without a verdict.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product

from benchmarks.audits.readings import labels, persons, selection, selectors
from benchmarks.audits.steps import ROWS, Steps, accountant, by_likelihood, exact_counts, neighbour
from discreet.evaluate.audit import audit

FALSE_ALARM = 1e-8
RUNS, QUICK = 100_000, 2_000
CLAIM = 2.0  # of whole releases


@dataclass(frozen=True)
class Line:
    """One audit: what is claimed, what was found."""

    what: str
    claim: float
    events: float | None
    runs: str
    likelihood: float | None = None
    control: bool = False

    @property
    def bound(self) -> float:
        return max(self.events or 0.0, self.likelihood or 0.0)

    @property
    def wrong(self) -> bool:
        return (self.bound > self.claim) != self.control

    def text(self) -> str:
        refuted = self.bound > self.claim
        verdict = ("refuted" if refuted else "not refuted") + (", as it must be" if refuted and self.control else "")
        bounds = ["" if bound is None else f"{bound:.2f}" for bound in (self.events, self.likelihood)]
        return f"| {self.what} | {self.claim:g} | {' | '.join(bounds)} | {self.runs} | {verdict} |"


def readings(runs: int) -> Iterator[Line]:
    for name, method in selectors().items():
        found = audit(
            lambda unknown, n, method=method: selection(method, labels(unknown), n),
            False, True, runs=runs, false_alarm=FALSE_ALARM,
        )  # fmt: skip
        yield Line(f"{name}, one label unknown", 0.5, found.epsilon, f"{runs:,}")
    for epsilon in (1.0, 2.0):
        drawn = max(runs // 5, QUICK)  # each of them a release of its own
        found = audit(persons(epsilon, ids=False), False, True, runs=drawn, false_alarm=FALSE_ALARM)
        yield Line("PrivateTable, a row without id more", epsilon, found.epsilon, f"{drawn:,}")


def steps(runs: int) -> Iterator[Line]:
    for relation, delta, times in product(("replace-one", "add-remove"), (0.0, 1e-5), (1, 2)):
        times *= 2 if delta and times > 1 else 1  # with a delta a claim is less tight, and half the noise shows late
        made = Steps(accountant(CLAIM, delta, relation, times), ROWS, neighbour(ROWS, relation))
        drawn = max(runs // 20, QUICK // 4)  # each of them two fits of the model
        losses = {side: made.sample(side, drawn) for side in (True, False)}
        found = audit(lambda side, _: losses[side], True, False, runs=drawn, false_alarm=FALSE_ALARM, delta=delta)  # noqa: B023
        told = by_likelihood(losses, delta, FALSE_ALARM)
        what = f"PrivateTable, whole release with pairs and a triple, {relation}, delta {delta:g}"
        control = f", 1/{times} of the noise" if times > 1 else ""
        yield Line(what + control, CLAIM, found.epsilon, f"{drawn:,}", told, control=times > 1)
        if delta and times == 1:
            exact = exact_counts(CLAIM, delta, relation)
            yield Line(f"PrivateTable, all counts, {relation}, delta {delta:g}", CLAIM, None, "exact", exact)


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.audits", description=__doc__)
    options.add_argument("--quick", action="store_true", help="seconds, with less power")
    asked = options.parse_args(arguments)
    runs = QUICK if asked.quick else RUNS
    print("| audit | claimed epsilon | at least, by events | by likelihood | runs | |\n|---|---:|---:|---:|---:|---|")
    wrong = 0
    for line in chain(readings(runs), steps(runs)):
        print(line.text(), flush=True)
        wrong += line.wrong and not (asked.quick and line.control)
    controls = "" if asked.quick else ", and every control is"
    print(f"\n{wrong} audits went against what is claimed." if wrong else f"\nNo claim is refuted{controls}.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
