# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of this folder's README. Needs no data: the paper prints what its choice starts from."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.choice import protocol
from discreet.report.choice_page import pictures, summarise_choice, to_page

MOST = 40  # candidates; two eliminations of 14 attributes give 27 at most


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.choice", description=__doc__)
    options.add_argument("--plot", type=Path, help="write Figure 9 and more to this HTML file")
    asked = options.parse_args()
    found = protocol.published()["pima_c45"]
    _table_5(found)
    _table_6(found)
    _table_7()
    if asked.plot:
        choice = protocol.chosen(found["cases"][1]["weights"])
        page = to_page(summarise_choice(choice, name="Pima, C4.5"), pictures(choice, "baseline"))
        asked.plot.write_text(page, encoding="utf-8")
        print(f"\n{asked.plot}")


def _table_5(found: dict) -> None:
    ranks = protocol.chosen([0.5, 0.25, 0.25]).evaluation.ranks
    agree = letters = 0
    candidates = protocol.pima()
    for place, row in enumerate(found["candidates"]):
        printed = row["ranks"]
        agree += ranks["performance"][place] == printed["perf"]
        agree += (ranks["pbi"][place] == printed["pbi"]) + (ranks["size"][place] == printed["size"])
        letters += protocol.category(candidates[place], candidates) == row["category"]
    n = len(candidates)
    print(f"Table 4: {letters} of {n} categories agree. Table 5: {agree} of {3 * n} ranks agree.")


def _table_6(found: dict) -> None:
    cases = found["cases"]
    agree = 0
    print("\n" + _line("weights", "best, published", "best", "second best", "E(S)", "best by value", "knee"))
    print(_line(*["---"] * 7))
    for number, case in enumerate(cases):
        choice = protocol.chosen(case["weights"])
        agree += sum(
            e == row["e"][number] for e, row in zip(choice.evaluation.scores, found["candidates"], strict=True)
        )
        by_value = protocol.chosen(case["weights"], by="value")
        names = (case["best"], choice.best.name, choice.second.name, f"{choice.scores[choice.best.name]:g}")
        print(_line(case["name"], *names, by_value.best.name, choice.knee.name))
    front = [candidate.name for candidate in choice.front]
    print(
        f"\nTable 6: {agree} of {len(cases) * len(found['candidates'])} values agree. On the front: {len(front)} of 14."
    )


def _table_7() -> None:
    adult = protocol.published()["adult_c45"]
    print("\nTable 7: whole ranks (performance, pbi, size) that give E(S) in every row that names the subset\n")
    print(_line("subset", "rows", "E(S)", f"ranks up to {MOST}"))
    print(_line(*["---"] * 4))
    for best in dict.fromkeys(tuple(row["best"]) for row in adult["rows"]):
        rows = [(row["weights"], row["e"]) for row in adult["rows"] if tuple(row["best"]) == best]
        readings = {"as printed": rows}
        if len(rows) == 2:
            readings["exchanged"] = [(rows[0][0], rows[1][1]), (rows[1][0], rows[0][1])]
        for reading, these in readings.items():
            solved = protocol.whole_ranks(these, MOST)
            text = ", ".join(map(str, solved[:4])) + (f" and {len(solved) - 4} more" if len(solved) > 4 else "")
            print(_line(f"{len(best)} attributes", str(len(these)), reading, text or "none"))
        most = protocol.most_larger(len(best), adult["attributes"]) + 1
        print(_line(f"{len(best)} attributes", "", "", f"size rank by two eliminations: {most} at most"))


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
