# SPDX-License-Identifier: Apache-2.0
"""Random releases, counted again: `python -m benchmarks.random_releases [--count N] [--seed N] [--jobs N]`.

Prints how many releases each method made, what was refused, how many releases are broken and how many leaks there are.
`--replay N` shows the case of one number and what is wrong with it; `--keep FOLDER` keeps releases with findings. The
exit status is 1 when something is broken, leaks, or failed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks.random_releases.cases import random_case
from benchmarks.random_releases.run import Finding, Tally, batch, many

_EXAMPLES = 3  # numbers that are shown of each kind of finding


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_releases", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50_000, help="releases; cases that are refused come on top")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first case")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--replay", type=int, metavar="N", help="one case, shown")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where releases with findings are kept")
    options = parser.parse_args(arguments)
    if options.replay is not None:
        return replay(options.replay, options.keep)
    tally = many(options.count, seed=options.seed, jobs=options.jobs, keep=options.keep, say=_progress(options.count))
    print(report(tally))
    return 0 if tally.fine else 1


def replay(seed: int, keep: Path | None) -> int:
    """One case: what went in, and what was found."""
    case = random_case(seed)
    print(f"case {seed}: {case.method}, {case.format}")
    print(f"parameters: {case.parameters}")
    if case.trees:
        print(f"hierarchies: {case.trees}")
    if case.roles is None:
        print(f"items: {case.names}\nlabels: {case.labels}\npersons: {case.persons}\nrows: {case.data}")
    else:
        print(f"roles: {case.roles}")
        for name, cells in case.source.columns.items():
            print(f"  {name!r} ({case.source.kinds[name]}): {cells}")
    tally = batch(range(seed, seed + 1), keep)
    print(report(tally))
    return 0 if tally.fine else 1


def report(tally: Tally) -> str:
    """What became of all cases, method by method."""
    lines = [f"{'method':20} {'released':>9} {'refused':>8}  refusals"]
    refused: dict[str, Counter] = defaultdict(Counter)
    for (method, refusal), times in tally.refused.items():
        refused[method][refusal] += times
    for method in sorted({*tally.released, *refused}):
        why = ", ".join(f"{name} {times}" for name, times in sorted(refused[method].items()))
        lines.append(f"{method:20} {tally.released[method]:9,} {refused[method].total():8,}  {why}".rstrip())
    lines.append(f"{'all':20} {tally.released.total():9,} {tally.refused.total():8,}")
    for title, findings in (("Broken", tally.broken), ("Leaks", tally.leaks), ("Failed", tally.failed)):
        lines += _listed(title, findings)
    scores = ", ".join(f"{name} {score:+.1f}" for name, score in tally.orders.scores().items())
    lines.append(f"\nOrder of rows in {tally.orders.releases:,} releases, in standard deviations: {scores}")
    lines.append(f"Borders of intervals that are a value of fewer than k persons (documented): {tally.borders:,}")
    in_order = tally.orders.leaks()
    lines += [f"The order of rows tells where they came from: {leak}" for leak in in_order]
    lines.append(
        f"\n{tally.released.total():,} releases, {tally.refused.total():,} refusals, {len(tally.failed)} failed:"
        f" {len({finding.seed for finding in tally.broken})} broken,"
        f" {len({finding.seed for finding in tally.leaks}) + len(in_order)} leaks"
    )
    return "\n".join(lines)


def _listed(title: str, findings: list[Finding]) -> list[str]:
    """Findings by kind and method, with some of their numbers."""
    kinds: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        kinds[finding.kind, finding.method].append(finding)
    lines = [f"\n{title}:"] if kinds else []
    for (kind, method), found in sorted(kinds.items()):
        seeds = list(dict.fromkeys(finding.seed for finding in found))
        shown = ", ".join(map(str, seeds[:_EXAMPLES]))
        lines.append(f"  {kind} ({method}): {len(seeds)} cases, --replay {shown}")
        lines.append(f"      {found[0].what[:300]}")
    return lines


def _progress(count: int) -> Callable[[Tally], None]:
    """A line that says how far it is and how long it will take."""
    start = time.monotonic()

    def say(tally: Tally) -> None:
        made = tally.released.total()
        rate = made / (time.monotonic() - start)
        wrong = f"{len(tally.broken)} broken, {len(tally.leaks)} leaks, {len(tally.failed)} failed"
        left = max(count - made, 0) / max(rate, 1e-9) / 60
        line = f"{made:,} of {count:,} releases, {rate:.0f} a second, {left:.1f} minutes left; {wrong}"
        print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)

    return say


if __name__ == "__main__":
    sys.exit(main())
