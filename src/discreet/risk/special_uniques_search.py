# SPDX-License-Identifier: Apache-2.0
"""The search for minimal sample uniques: sets of columns in which a person is alone, and in no smaller one.

Column sets are walked through in the order of their numbers, of which column c is bit c, so that every subset of a set
comes before it; a set is then minimal if it holds none found before. Since a row was not alone before the last and
lowest column was added, only sets with the same lowest column are looked at. On the way from a set to one with a column
more, the groups of rows are split, and two kinds of rows are left behind: those that are alone, since they are alone in
every larger set, too, and groups without anybody who is unique on all columns, since none of these is ever alone.
"""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled


def minimal_uniques(
    codes: list[np.ndarray], levels: list[int], persons: np.ndarray, is_unique: np.ndarray, max_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """All minimal sample uniques of at most `max_size` columns: pairs of a row and the number of a column set.

    `codes` holds an array for each column, `is_unique` says which rows nobody else shares on all columns.

    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    >>> alone = np.array([False, False, True, True])
    >>> [part.tolist() for part in minimal_uniques([a, b], [2, 2], np.arange(4), alone, 2)]  # b alone, a with b
    [[3, 2], [2, 3]]
    """
    order = np.argsort(
        levels, kind="stable"
    )  # columns of many values first, which are the high bits: small groups soon
    near = _side_by_side([codes[column] for column in order], [levels[column] for column in order])
    table = np.empty((len(codes), len(persons)), dtype=np.int32)
    for place, column in enumerate(order):
        table[place] = codes[column][near]
    sizes = np.asarray(levels, dtype=np.int64)[order]
    rows, sets = _search(table, sizes, persons.astype(np.int64)[near], is_unique[near], int(max_size))
    numbers = np.zeros(len(sets), dtype=np.int64)
    for place, column in enumerate(order):
        numbers |= ((sets >> place) & 1) << column
    return near[rows], numbers


def _side_by_side(codes: list[np.ndarray], levels: list[int]) -> np.ndarray:
    """The rows in the order of the last columns, which are split first: then groups lie side by side in memory."""
    number, n = np.zeros(len(codes[0]), dtype=np.int64), 1
    for column, size in zip(reversed(codes), reversed(levels), strict=True):
        if n * (size + 1) >= 2**62:
            break
        number, n = number * (size + 1) + column, n * (size + 1)
    return np.argsort(number, kind="stable")


@compiled
def _search(table, levels, persons, is_unique, max_size):
    n_columns, n_rows = table.shape
    rows = np.empty((max_size + 1, n_rows), dtype=np.int64)  # the rows that are left, group after group, at each depth
    ends = np.empty((max_size + 1, n_rows), dtype=np.int64)  # where each group ends
    n_groups = np.zeros(max_size + 1, dtype=np.int64)
    sets = np.zeros(max_size + 1, dtype=np.int64)
    lowest = np.zeros(max_size + 1, dtype=np.int64)  # the lowest column of the set
    tried = np.zeros(max_size + 1, dtype=np.int64)  # the next column to add
    most = 1
    for column in range(n_columns):
        most = max(most, levels[column] + 1)
    count = np.zeros(most, dtype=np.int64)
    first = np.zeros(most, dtype=np.int64)
    several = np.zeros(most, dtype=np.bool_)
    wanted = np.zeros(most, dtype=np.bool_)
    place = np.zeros(most, dtype=np.int64)
    touched = np.empty(most, dtype=np.int64)
    newest = np.full((n_columns, n_rows), -1, dtype=np.int32)  # the last set found for each row by its lowest column
    found_rows = np.empty(1024, dtype=np.int64)
    found_sets = np.empty(1024, dtype=np.int64)
    before = np.empty(1024, dtype=np.int32)  # the one found before it for the same row and lowest column
    n_found = 0
    rows[0] = np.arange(n_rows)
    ends[0, 0] = n_rows
    n_groups[0] = 1 if n_rows else 0
    lowest[0] = n_columns
    depth = 0
    while depth >= 0:
        if tried[depth] >= lowest[depth] or depth == max_size or n_groups[depth] == 0:
            depth -= 1
            continue
        column = tried[depth]
        tried[depth] += 1
        codes = table[column]
        larger = sets[depth] | (np.int64(1) << column)
        kept, groups, start = 0, 0, 0
        for g in range(n_groups[depth]):
            end = ends[depth, g]
            n_touched = 0
            for i in range(start, end):
                row = rows[depth, i]
                code = codes[row]
                if count[code] == 0:
                    touched[n_touched] = code
                    n_touched += 1
                    first[code] = persons[row]
                    several[code] = False
                    wanted[code] = False
                elif persons[row] != first[code]:
                    several[code] = True
                count[code] += 1
                wanted[code] |= is_unique[row]
            for t in range(n_touched):  # room for the groups that are kept
                code = touched[t]
                if several[code] and wanted[code]:
                    place[code] = kept
                    kept += count[code]
                    ends[depth + 1, groups] = kept
                    groups += 1
                else:
                    place[code] = -1
            for i in range(start, end):
                row = rows[depth, i]
                code = codes[row]
                if place[code] >= 0:
                    rows[depth + 1, place[code]] = row
                    place[code] += 1
                elif not several[code]:
                    item = newest[column, row]
                    while item >= 0 and found_sets[item] & ~larger:
                        item = before[item]
                    if item < 0:  # no subset was found before
                        if n_found == len(found_rows):
                            found_rows = np.concatenate((found_rows, np.empty_like(found_rows)))
                            found_sets = np.concatenate((found_sets, np.empty_like(found_sets)))
                            before = np.concatenate((before, np.empty_like(before)))
                        found_rows[n_found] = row
                        found_sets[n_found] = larger
                        before[n_found] = newest[column, row]
                        newest[column, row] = n_found
                        n_found += 1
            for t in range(n_touched):
                count[touched[t]] = 0
            start = end
        if depth + 1 < max_size and column > 0 and groups:
            depth += 1
            n_groups[depth] = groups
            sets[depth] = larger
            lowest[depth] = column
            tried[depth] = 0
    return found_rows[:n_found].copy(), found_sets[:n_found].copy()
