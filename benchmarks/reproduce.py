# SPDX-License-Identifier: Apache-2.0
"""The papers' tables made again: published figures, ours under the paper's protocol, ours under the honest one.

python -m benchmarks.reproduce                           lists the papers and how much of each is measured
python -m benchmarks.reproduce containment --table 5     measures what is not kept yet, prints the table
python -m benchmarks.reproduce containment --quick       seconds, on built-in or made-up data; nothing is kept
python -m benchmarks.reproduce all                       everything, hours; goes on where it was stopped
python -m benchmarks.reproduce --write-docs              docs/reproduction.md from what is published and measured

Most tables need the folder of the papers' data sets in DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.reproduction import page, papers
from benchmarks.reproduction.kept import Store
from benchmarks.reproduction.run import is_table, jobs, run, show, tidy
from discreet.errors import did_you_mean, listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reproduction.md"
ALL = "all"


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        prog="discreet reproduce", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("paper", nargs="?", help="which one, or all; the list when none is named")
    options.add_argument("--table", help='one table of it, such as 5 or "Figure 1"')
    options.add_argument("--quick", action="store_true", help="seconds, on built-in or made-up data; nothing is kept")
    options.add_argument("--again", action="store_true", help="measure anew what is kept from earlier")
    options.add_argument("--write-docs", action="store_true", help="write docs/reproduction.md")
    asked = options.parse_args(arguments)
    if asked.paper is None:
        if asked.write_docs:
            return _write_docs()
        return _list()
    names = [paper.name for paper in papers.PAPERS] if asked.paper == ALL else [asked.paper]
    if not set(names) <= set(papers.known()):
        known = [*papers.known(), ALL]
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
    failed = run(units, again=asked.again)
    tidy(names)
    for line in _tables(names, asked.table):
        print(line)
    _write_docs()
    return 1 if failed else 0


def _list() -> int:
    for paper in papers.PAPERS:
        units = jobs([paper.name])
        kept = sum(job.unit.key in Store(job.folder).read() for job in units)
        print(f"{paper.name}: {kept} of {len(units)} units are measured; discreet reproduce {paper.name}")
    return 0


def _tables(names: list[str], table: str | None) -> list[str]:
    parts = (part for name in names for part in page.sections(page.paper_of(name)))
    return [text for title, text in parts if table is None or is_table(title, table)]


def _write_docs() -> int:
    PAGE.write_text(page.page(), encoding="utf-8")
    print(f"{PAGE.relative_to(PAGE.parents[1])} is written.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
