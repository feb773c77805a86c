# SPDX-License-Identifier: Apache-2.0
"""A million baskets: does the time of GreedySelector grow with the ones, and no faster?

    python -m benchmarks.speed.million [--plot FILE.svg]

Baskets of `quest`: 10,000 items, 20 a row, two classes; 1,000 patterns of 20 items whose popularity falls
exponentially, so that many features can be kept. k = 5, up to 200 features, both utilities, skip. Each size runs in a
process of its own; the memory is that process's peak, making the data included. Limits: 60 s and 4 GB at a million.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

SIZES = (100_000, 300_000, 1_000_000)
UTILITIES = ("hamdist", "distcnt")
LIMIT_SECONDS, LIMIT_BYTES = 60, 4 << 30


def measure(rows: int) -> dict:
    """One size, in this process: seconds of the clock and of the processor, warm; features, ones, peak memory."""
    from discreet import GreedySelector
    from discreet.samples import quest

    options = {"items": 10_000, "mean_length": 20, "mean_pattern": 20, "patterns": 1000, "skew": 0}
    small = quest(rows=2000, classes=2, random_state=2, **options).data
    baskets = quest(rows=rows, classes=2, random_state=1, **options).data
    labels = baskets.classes[baskets.labels]
    found: dict = {"rows": rows, "ones": int(baskets.matrix.nnz)}
    for utility in UTILITIES:
        selector = GreedySelector(5, utility=utility, max_features=200)
        selector.fit(small.matrix, small.classes[small.labels])  # compiles
        start, processor = time.perf_counter(), time.process_time()
        selector.fit(baskets.matrix, labels)
        seconds, cpu = time.perf_counter() - start, time.process_time() - processor
        found[utility] = {"seconds": seconds, "cpu": cpu, "features": len(selector.order_)}
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return found


def plot(found: list[dict]) -> str:
    """Processor seconds against ones, both on logarithmic scales; straight lines of slope one are linear growth."""
    from math import log10

    seconds = [line[utility]["cpu"] for line in found for utility in UTILITIES]
    low, high = log10(min(seconds)) - 0.2, log10(max(seconds)) + 0.2
    left, right = log10(found[0]["ones"]) - 0.1, log10(found[-1]["ones"]) + 0.1

    def place(ones: float, second: float) -> tuple[float, float]:
        x = 70 + 500 * (log10(ones) - left) / (right - left)
        return round(x, 1), round(300 - 260 * (log10(second) - low) / (high - low), 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 350" role="img" font-size="13"'
        ' font-family="sans-serif">',
        "<title>Processor seconds of GreedySelector against the ones of the data</title>",
        '<rect width="600" height="350" fill="white"/><path d="M70 30V300H580" fill="none" stroke="#444"/>',
    ]
    for utility, colour in zip(UTILITIES, ("#0072b2", "#d55e00"), strict=True):
        points = [place(line["ones"], line[utility]["cpu"]) for line in found]
        parts.append(f'<polyline points="{" ".join(f"{x},{y}" for x, y in points)}" fill="none" stroke="{colour}"/>')
        for (x, y), line in zip(points, found, strict=True):
            parts.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>')
            text = f"{line[utility]['cpu']:.2g} s"
            parts.append(f'<text x="{x + 6}" y="{y + 16}" fill="{colour}">{text}</text>')
        parts.append(f'<text x="{points[0][0] - 30}" y="{points[0][1] - 10}" fill="{colour}">{utility}</text>')
    for line in found:
        x, _ = place(line["ones"], 1)
        parts.append(f'<text x="{x}" y="318" text-anchor="middle">{line["ones"] / 1e6:.0f} M ones</text>')
    parts.append('<text x="14" y="20">processor seconds, logarithmic</text></svg>')
    return "\n".join(parts)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.speed.million", description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, help=argparse.SUPPRESS)  # one size, for the child process
    options.add_argument("--plot", type=Path, help="write the plot here")
    asked = options.parse_args()
    if asked.rows:
        print(json.dumps(measure(asked.rows)))
        return 0
    found = []
    print("| rows | ones | hamdist | CPU | features | distcnt | CPU | features | peak memory |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for rows in SIZES:
        command = [sys.executable, "-m", "benchmarks.speed.million", "--rows", str(rows)]
        line = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        found.append(line)
        ham, dist = (line[utility] for utility in UTILITIES)
        print(
            f"| {rows:,} | {line['ones']:,} | {ham['seconds']:.2f} s | {ham['cpu']:.2f} s | {ham['features']}"
            f" | {dist['seconds']:.2f} s | {dist['cpu']:.2f} s | {dist['features']} | {line['peak'] / 2**30:.2f} GB |"
        )
    last = found[-1]
    slow = max(last[utility]["seconds"] for utility in UTILITIES)
    met = slow <= LIMIT_SECONDS and last["peak"] <= LIMIT_BYTES and last["hamdist"]["features"] >= 50
    said = f"{slow:.1f} s of {LIMIT_SECONDS}, {last['peak'] / 2**30:.2f} of 4 GB. {'Met' if met else 'MISSED'}."
    print(f"\nAt a million rows: {said}")
    if asked.plot:
        asked.plot.write_text(plot(found), encoding="utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
