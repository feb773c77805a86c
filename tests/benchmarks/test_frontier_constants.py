# SPDX-License-Identifier: Apache-2.0
"""The study of TreeLadder's constants picks for a table by the others alone."""

from benchmarks.frontier.constants import CONSTANTS, DEFAULT, MEASURES, label_of, lines_of, measured


def figures(score):
    return [[score] * len(MEASURES)] * 2


def test_a_table_has_no_say_in_what_is_picked_for_it():
    scores = {"a": (0.5, 0.4), "b": (0.5, 0.4), "c": (0.1, 0.9)}  # the last table prefers the other value by far
    kept = {
        table: {DEFAULT: figures(own), "chance 0.0": figures(other)}
        | {f"chance {value}": figures(0.0) for value in (0.25, 1.0)}
        for table, (own, other) in scores.items()
    }
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines_of(kept, ["chance"])]
    assert [tuple(line) for line in lines[-5:-2]] == [("a", "0.0"), ("b", "0.0"), ("c", "0.5")]
    assert lines[-2] == ["loss of the picks", f"{(0.1 + 0.1 + 0.8) / 3:.4f}"]
    assert lines[-1] == ["loss of the default", f"{0.8 / 3:.4f}"]
    times = {"0.0": "2 of 3", "0.25": "0 of 3", "0.5": "1 of 3", "1.0": "0 of 3"}
    assert {line[1]: line[2] for line in lines[2:6]} == times


def test_what_is_kept_is_of_every_value_and_what_the_method_has_is_one_of_them():
    labels = {label_of(constant, i) for constant, one in CONSTANTS.items() for i in range(len(one.values))}
    assert DEFAULT in labels
    assert all({*found} == labels for found in measured().values())
