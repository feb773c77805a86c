# SPDX-License-Identifier: Apache-2.0
"""Pages of a studio with 500,000 rows of 50 columns, asked over HTTP while work runs: `python -m benchmarks.studio`."""

from __future__ import annotations

import argparse
import http.client
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

PAGES = ("/data", "/roles", "/risk", "/promise", "/hierarchies", "/compare", "/release", "/verify", "/ledger")
QUASI = 8


class Visitor:
    """A browser without a screen, which notes how long each answer took."""

    def __init__(self, link: str):
        self.port = int(re.search(r":(\d+)/", link)[1])  # type: ignore[index]
        self.took: dict[str, list[float]] = {}
        self.headers: dict[str, str] = {}
        answer, _ = self.ask("GET", link.split(str(self.port), 1)[1], "")
        self.headers = {"Cookie": answer.getheader("set-cookie", "").split(";")[0]}
        number = re.search(r'name="session" content="([^"]+)"', self.ask("GET", "/data", "")[1])[1]  # type: ignore[index]
        own = {"Origin": f"http://127.0.0.1:{self.port}", "x-discreet-request": number}
        self.headers |= own | {"Content-Type": "application/x-www-form-urlencoded"}

    def ask(self, method: str, address: str, doing: str, body: Any = None) -> tuple[http.client.HTTPResponse, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        begun = time.perf_counter()
        connection.request(method, address, body, self.headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        if doing:
            self.took.setdefault(doing, []).append(time.perf_counter() - begun)
        connection.close()
        return answer, text

    def look_around(self, doing: str, until: Callable[[], bool]) -> None:
        """Ask for all pages, again and again."""
        while True:
            for page in PAGES:
                self.ask("GET", page, doing)
            if until():
                return
            time.sleep(0.1)

    def wait_for(self, part: str, doing: str) -> None:
        """Look around until a part of a page is known."""
        begun = time.perf_counter()
        self.look_around(doing, lambda: 'class="coming"' not in self.ask("GET", part, doing)[1])
        print(f"{doing}: known after {time.perf_counter() - begun:.1f} s", flush=True)


def write_table(path: Path, rows: int, columns: int) -> None:
    random = np.random.default_rng(0)
    cells: dict[str, Any] = {f"c{place}": random.integers(0, 3 + 7 * place, rows) for place in range(columns - 1)}
    cells["label"] = np.where(random.random(rows) < 0.5, "yes", "no")
    pyarrow.csv.write_csv(pa.table(cells), path)


def walk(visitor: Visitor, path: Path, columns: int, seconds: float) -> None:
    """From the file to a comparison that runs for some seconds."""
    sent = threading.Event()

    def send() -> None:
        with path.open("rb") as file:
            visitor.ask("PUT", "/data/file?name=large.csv", "", file.read())
        sent.set()

    threading.Thread(target=send).start()
    visitor.look_around("while the file is sent", sent.is_set)
    visitor.wait_for("/data/columns", "while the file is read")
    visitor.wait_for("/roles/table", "while roles are suggested")
    for place in range(columns - 1):
        role = "quasi" if place < QUASI else "left+out"
        visitor.ask("POST", "/roles/of", "when a role is given", f"column=c{place}&role={role}")
    visitor.ask("POST", "/roles/of", "when a role is given", "column=label&role=target")
    visitor.wait_for("/roles/risk", "while columns are weighed")
    visitor.wait_for("/promise/effect", "while k is tried")
    visitor.wait_for("/hierarchies/tree?column=c5", "while a hierarchy is tried")
    visitor.wait_for("/risk/found", "while the risk is assessed")
    visitor.ask("POST", "/compare/methods", "", "mondrian-median=yes")
    visitor.ask("POST", "/compare/start", "when the comparison starts", "")
    ends = time.monotonic() + seconds
    visitor.look_around("while methods are compared", lambda: time.monotonic() > ends)
    visitor.ask("POST", "/compare/cancel", "", "")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60, help="how long the comparison is watched")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "large.csv"
        write_table(path, asked.rows, asked.columns)
        print(f"{asked.rows:,} rows, {asked.columns} columns, {path.stat().st_size / 1e6:.0f} MB", flush=True)
        command = [sys.executable, "-m", "discreet", "studio", "--no-browser", "--folder", f"{place}/project"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
            assert studio.stdout is not None
            link = next(found.group() for line in studio.stdout if (found := re.search(r"http://\S+", line)))
            visitor = Visitor(link)
            try:
                walk(visitor, path, asked.columns, asked.seconds)
            except KeyboardInterrupt:
                print("interrupted; what was measured so far:", flush=True)
            finally:
                studio.send_signal(signal.SIGTERM)
    print("\n| pages and parts | asked | median | slowest | over 200 ms |\n|---|---:|---:|---:|---:|")
    for doing, took in visitor.took.items():
        middle, slowest, late = sorted(took)[len(took) // 2], max(took), sum(one > 0.2 for one in took)
        print(f"| {doing} | {len(took):,} | {1000 * middle:.0f} ms | {1000 * slowest:.0f} ms | {late} |")


if __name__ == "__main__":
    main()
