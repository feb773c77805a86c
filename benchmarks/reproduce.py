# SPDX-License-Identifier: Apache-2.0
"""The papers' tables made again: published figures, ours under the paper's protocol, ours under the honest one.

python -m benchmarks.reproduce                           lists the papers and how much of each is measured and current
python -m benchmarks.reproduce containment --table 5     measures what is not kept or is stale, prints the table
python -m benchmarks.reproduce containment --again       measures it all, whatever is kept
python -m benchmarks.reproduce containment --quick       seconds, on built-in or made-up data; nothing is kept
python -m benchmarks.reproduce all                       all papers; goes on where it was stopped
python -m benchmarks.reproduce all --under 60            only what takes less than 60 seconds
python -m benchmarks.reproduce page                      docs/reproduction.md and READMEs from what is kept

Most tables need the folder of the papers' data sets in DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.reproduction import datasets, page, papers, readmes
from benchmarks.reproduction.run import CURRENT, STALE, is_table, jobs, run, show, states, tidy
from discreet.errors import did_you_mean, listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reproduction.md"
ALL, WRITE = "all", "page"


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        prog="discreet reproduce", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("paper", nargs="?", help="which one, or all, or page; the list when none is named")
    options.add_argument("--table", help='one table of it, such as 5 or "Figure 1"')
    options.add_argument("--quick", action="store_true", help="seconds, on built-in or made-up data; nothing is kept")
    options.add_argument("--again", action="store_true", help="measure anew also what is kept and current")
    options.add_argument("--under", type=float, metavar="SECONDS", help="leave out units that take as long or longer")
    options.add_argument("--json", action="store_true", help="answer in JSON on standard output")
    asked = options.parse_args(arguments)
    if asked.json:
        return _answer(asked)
    if asked.paper is None:
        return _list()
    if asked.paper == WRITE:
        return _write()
    names = [paper.name for paper in papers.PAPERS] if asked.paper == ALL else [asked.paper]
    if not set(names) <= set(papers.known()):
        known = [*papers.known(), ALL, WRITE]
        print(f"There is no paper {asked.paper!r}.{did_you_mean(asked.paper, known)} There are {listing(known)}.")
        return 2
    units = jobs(names, asked.table, quick=asked.quick)
    if not units:
        tables = dict.fromkeys(job.unit.table for job in jobs(names, quick=asked.quick))
        where = "is not among the quick slices" if asked.quick else "is not measured"
        print(f"Table {asked.table!r} {where} of {asked.paper!r}. There are {listing(list(tables))}.")
        return 2
    if asked.quick:
        print(page.plain(names, show(units)))
        return 0
    failed = run(units, again=asked.again, under=asked.under)
    tidy(names)
    for line in _tables(names, asked.table):
        print(line)
    _write()
    return 1 if failed else 0


def _answer(asked: argparse.Namespace) -> int:
    """One JSON document on standard output; what is said on the way goes to standard error."""
    told = [name for name in ("table", "under") if getattr(asked, name) is not None]
    told += [name for name in ("quick", "again") if getattr(asked, name)]
    arguments = [] if asked.paper is None else [asked.paper]
    for name in told:
        arguments += [f"--{name}", *([] if name in ("quick", "again") else [str(getattr(asked, name))])]
    said = io.StringIO()
    with contextlib.redirect_stdout(said if asked.quick or asked.paper is None else sys.stderr):
        status = main(arguments)
    answer: dict[str, object] = {"format": 1, "status": status, "papers": _counts()}
    if asked.quick:
        answer["tables"] = said.getvalue().strip().split("\n\n")
    elif asked.paper not in (None, WRITE) and status != 2:
        names = [paper.name for paper in papers.PAPERS] if asked.paper == ALL else [asked.paper]
        answer["tables"] = _tables(names, asked.table)
    print(json.dumps(answer, indent=2, ensure_ascii=False))
    return status


def _counts() -> list[dict[str, object]]:
    found = []
    for paper in papers.PAPERS:
        counts = Counter(state for folder in paper.folders for state in states(folder).values())
        found.append({"paper": paper.name, "units": counts.total(), "current": counts[CURRENT], "stale": counts[STALE]})
    return found


def _list() -> int:
    for one in _counts():
        told = f"of {one['units']} units {one['current']} are measured and current, {one['stale']} stale"
        print(f"{one['paper']}: {told}; discreet reproduce {one['paper']}")
    return 0


def _tables(names: list[str], table: str | None) -> list[str]:
    asked = dict.fromkeys(page.paper_of(name) for name in names)
    parts = (part for paper in asked for part in page.sections(page.chapter(paper)))
    return [text for title, text in parts if table is None or is_table(title, table)]


def _write() -> int:
    datasets.note(
        sorted(
            {
                name
                for job in jobs([paper.name for paper in papers.PAPERS])
                for name in job.unit.data
                if not name.endswith(".toml")
            }
        )
    )
    PAGE.write_text(page.page(), encoding="utf-8")
    readmes.write()
    print(f"{PAGE.relative_to(PAGE.parents[1])} and the READMEs of benchmarks are written.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
