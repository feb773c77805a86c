# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of this folder's README. Needs the folder of the papers' data sets in DISCREET_DATA."""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from benchmarks.disambiguation import protocol
from benchmarks.reproduction.published import read

KS = (5, 8, 11)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.disambiguation", description=__doc__)
    options.add_argument("--draws", type=int, default=3, help="how often the name references are drawn anew")
    options.add_argument("--seeds", type=int, default=2, help="topic models for each draw")
    options.add_argument("--readings", action="store_true", help="only: what depends on how the score is read")
    asked = options.parse_args()
    published = read("disambiguation").of("Table 4")
    found = protocol.publications()
    if asked.readings:
        _readings(found, asked.draws, asked.seeds)
        return
    drawn = [protocol.references(found, seed) for seed in range(asked.draws)]
    print("The paper's own 148 x 552 matrix is not public; these references are drawn from 308 public publications.")
    sizes = ", ".join(f"{b.shape[0]} x {b.shape[1]} ({b.matrix.nnz / np.prod(b.shape):.1%} ones)" for b in drawn)
    print(f"References: {sizes}. {protocol.TOPICS} topics; AUC of the entropy, mean ± sd over {asked.draws} draws")
    print(f"x {asked.seeds} topic models; in brackets the features kept, or the share of cells flipped.\n")

    heads = [f"k = {k}" for k in KS]
    print(_line("as published: all references", *heads, *(f"paper, {head}" for head in heads)))
    print(_line(*["---"] * 7))
    for name, make in protocol.METHODS.items():
        ours = [protocol.as_published(lambda k=k, make=make: make(k), drawn, asked.seeds) for k in KS]
        print(_line(name, *map(_text, ours), *_printed(published.get(name))), flush=True)
    whole = published["Full-Feature-Set"]
    print(
        _line(
            "all keywords",
            _text(protocol.as_published(None, drawn, asked.seeds)),
            "",
            "",
            f"{whole['AUC']} ({whole['features']})",
            "",
            "",
        )
    )

    print("\n" + _line("honest: selection and topics in the training folds", *heads))
    print(_line(*["---"] * 4))
    for name in ("Maximal", "HamDist", "DistCnt", "RF"):
        make = protocol.METHODS[name]
        ours = [protocol.nested(lambda k=k, make=make: make(k), drawn) for k in KS]
        print(_line(name, *map(_text, ours)), flush=True)
    print(_line("all keywords", _text(protocol.nested(None, drawn)), "", ""))

    largest = np.argsort(-np.bincount(found.labels), kind="stable")[:3]
    print("\nIs a publication by this person? Linear SVM on title words, selection in the training folds.\n")
    print(_line("person (publications), method", *heads))
    print(_line(*["---"] * 4))
    for person in largest:
        count = int((found.labels == person).sum())
        for name in ("HamDist", "DistCnt"):
            make = protocol.METHODS[name]
            ours = [protocol.authorship(found, person, lambda k=k, make=make: make(k)) for k in KS]
            print(_line(f"{found.classes[person]} ({count}), {name}", *map(_single, ours)), flush=True)
        all_words = protocol.authorship(found, person, None)
        print(_line(f"{found.classes[person]} ({count}), all words", _single(all_words), "", ""), flush=True)


def _readings(found, draws: int, seeds: int) -> None:
    print("AUC as published, by how references are drawn and what is read off their topics\n")
    heads = (f"{name}, k = {k}" for name in ("HamDist", "Maximal") for k in (KS[0], KS[-1]))
    print(_line("references", "score", "all keywords", *heads))
    print(_line(*["---"] * 7))
    scores = {
        "P(u given T), as printed": protocol.entropy,
        "P(T given u)": partial(protocol.entropy, of_topics=True),
        "number of keywords": protocol.size,
    }
    for drawn, matched in (("as in life", False), ("matched", True)):
        made = [protocol.references(found, seed, matched=matched) for seed in range(draws)]
        for name, score in scores.items():
            makers = [None, *(partial(protocol.METHODS[m], k) for m in ("HamDist", "Maximal") for k in (KS[0], KS[-1]))]
            ours = [_text(protocol.as_published(make, made, seeds, score)) for make in makers]
            print(_line(drawn, name, *ours), flush=True)


def _text(result: protocol.Result | None) -> str:
    return "none fits" if result is None else result.text


def _single(result: protocol.Result | None) -> str:
    return "none fits" if result is None else f"{result.auc[0]:.2f} ({result.features:.0f})"


def _printed(row: dict | None) -> list[str]:
    if row is None:
        return [""] * 3
    flipped = {k: row.get(f"k={k} flipped %") for k in KS}
    sizes = {k: row[f"k={k} features"] if share is None else f"{share:.1f}%" for k, share in flipped.items()}
    return [f"{row[f'k={k} AUC']} ({sizes[k]})" for k in KS]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
