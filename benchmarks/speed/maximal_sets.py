# SPDX-License-Identifier: Apache-2.0
"""The 20 largest maximal itemsets: discreet against pyfim, which lists all maximal sets, side by side.

    python -m benchmarks.speed.maximal_sets [--rival SECONDS] [--limit SECONDS] [--only NAME] [--k N]

CPU seconds, both warm; pyfim in its own environment (benchmarks/rivals/pyfim, made when it is missing), stopped after
SECONDS of the processor ("> SECONDS") or at 8 GB ("memory"). Where it finishes, its largest sets must be the same as
ours. The data sets are those of `DISCREET_DATA`; "keywords" is made here, since the paper's matrix is not public: 148
rows, 552 columns, density 9.5 %, columns and rows skewed.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from discreet.methods.containment.maximal_frequent import largest_frequent
from discreet.methods.containment.maximal_pool import Clock
from discreet.samples import load

CANDIDATES = 20
MEMORY = 8 << 30
RIVAL = Path(__file__).parent.parent / "rivals" / "pyfim"
CASES = {
    "pu1": (5, 8, 11),
    "keywords": (5, 8, 11),
    "chess": (5, 50, 500, 1000),
    "mushroom": (5, 50, 500, 1000),
    "retail": (5, 50, 500, 1000),
    "t10i4d100k": (5, 50, 500, 1000),
    "bms1": (5, 50, 500, 1000),
}


def keywords(n: int = 148, d: int = 552, density: float = 0.095, seed: int = 1) -> sp.csr_array:
    """A keyword matrix like the paper's: popular and rare words, long and short documents, groups on one subject."""
    rng = np.random.default_rng(seed)
    worth = np.log(rng.pareto(1.2, d) + 0.1) + np.log(rng.gamma(1.5, 1.0, n))[:, None]
    subject = rng.normal(size=(8, d))[rng.integers(0, 8, n)]
    score = worth + subject + rng.normal(size=(n, d))
    return sp.csr_array((score > np.quantile(score, 1 - density)).astype(np.uint8))


def ours(matrix: sp.csr_array, k: int, limit: float) -> tuple[float, list[tuple[int, ...]], bool]:
    start = time.process_time()
    found = largest_frequent(matrix, k, CANDIDATES, clock=Clock(limit))
    return time.process_time() - start, found.sets, found.proven


def rival_python() -> Path:
    """pyfim's own environment, made when it is missing."""
    python = RIVAL / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", RIVAL / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", RIVAL / "requirements.txt"], check=True)
    return python


def theirs(matrix: sp.csr_array, k: int, limit: int, algorithm: str) -> dict | str:
    """pyfim's seconds and largest sets; or why it did not finish."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        rows = np.split(matrix.indices, matrix.indptr[1:-1])
        file.writelines(" ".join(map(str, row)) + "\n" for row in rows if len(row))
        file.flush()

        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

        command = [rival_python(), RIVAL / "maximal.py", file.name, str(k), str(CANDIDATES), algorithm]
        done = subprocess.run(command, capture_output=True, preexec_fn=bounded)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"> {limit}"
    if b"MemoryError" in done.stderr:
        return "memory"
    done.check_returncode()
    return json.loads(done.stdout)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rival", type=int, default=60, help="seconds for pyfim, 0 for ours alone")
    options.add_argument("--algorithm", choices=["eclat", "fpgrowth"], default="eclat", help="of pyfim")
    options.add_argument("--limit", type=float, default=60, help="time limit of ours")
    options.add_argument("--only", choices=CASES, action="append")
    options.add_argument("--k", type=int, nargs="*", help="instead of those of the data set")
    chosen = options.parse_args()
    ours(keywords(40, 60), 3, 60)  # compiled
    print(f"{'data':12} {'k':>5} {'ours s':>8} {'proven':>6} {'pyfim s':>8} {'ratio':>7}  sizes; same as pyfim's")
    for name in chosen.only or CASES:
        matrix = keywords() if name == "keywords" else load(name).data.matrix
        for k in chosen.k or CASES[name]:
            seconds, sets, proven = ours(matrix, k, chosen.limit)
            rival = theirs(matrix, k, chosen.rival, chosen.algorithm) if chosen.rival else "-"
            sizes = f"{len(sets[0])} to {len(sets[-1])}" if sets else "none"
            time_of_rival, ratio, same = rival, "-", ""
            if isinstance(rival, dict):
                time_of_rival, ratio = f"{rival['seconds']:.2f}", f"{rival['seconds'] / max(seconds, 1e-4):.1f}"
                same = f"; {[list(found) for found in sets] == rival['largest']}"
            print(
                f"{name:12} {k:5} {seconds:8.3f} {proven!s:>6} {time_of_rival:>8} {ratio:>7}  {sizes}{same}", flush=True
            )


if __name__ == "__main__":
    main()
