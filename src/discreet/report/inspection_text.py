# SPDX-License-Identifier: Apache-2.0
"""An inspection in plain words: who stands out, because of which columns, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.errors import listing, plain
from discreet.evaluate.risk import Risk
from discreet.report.wording import approximately, count, plural, short, width
from discreet.risk.inspection import RARE, Inspection

_MOST_SETS, _MOST_COLUMNS = 8, 20  # that are shown
_MOST_NAMES = 24  # characters of a column's name in a table


def inspection_lines(found: Inspection) -> list[str]:
    """All of it but the list of columns, line by line."""
    return [
        *found.reading,
        *_identifiers(found),
        *_groups(found),
        *_singling(found),
        *_columns(found),
        *_besides(found),
    ]


def _line(label: str, text: str) -> str:
    return f"  {label:<22}{text}"


def _identifiers(found: Inspection) -> Iterator[str]:
    """Columns that name people by their content."""
    named = [one for one in found.columns if one.role in ("identifiers", "person")]
    if named:
        yield f"Columns that name people, never published: {listing([one.name for one in named])}."


def groups_in_words(counted: Risk) -> list[str]:
    """How small the groups of alike rows are."""
    return [
        _line("smallest group", f"k = {count(counted.k)}"),
        _line("unique rows", f"{count(counted.unique)} ({approximately(counted.unique / counted.rows)})"),
        _line("rows in groups < 5", f"{count(counted.below[5])} ({approximately(counted.below[5] / counted.rows)})"),
        _line("average risk", f"{approximately(counted.average)} chance to pick the right person in a row's group"),
    ]


def _groups(found: Inspection) -> Iterator[str]:
    if found.risk is None or found.together is None:
        yield "No column looks like a quasi-identifier. Name them with --quasi to see how identifiable the rows are."
        return
    whose = "" if found.person is None else f", counted in persons ({found.risk.persons:,} of them)"
    yield f"On the {'' if found.named else 'suggested '}quasi-identifiers {listing(found.quasi)}{whose}:"
    yield from groups_in_words(found.risk)
    together = found.together
    yield _line(
        "distinction", f"{approximately(together.distinction)}: {together.values:,} different combinations of values"
    )
    yield _line("separation", f"{approximately(together.separation)} of all pairs of rows are told apart")


def _singling(found: Inspection) -> Iterator[str]:
    singling = found.singling
    if singling is None:
        return
    at_most = f"up to {singling.largest} columns" if singling.largest > 1 else "1 column"
    if len(singling.of) < len(found.quasi):
        at_most += f" of the {len(singling.of)} with most values"
    if not singling.sets:
        yield f"Nobody is singled out by {at_most}."
        return
    yield f"Who stands out, and because of which columns ({plural(singling.rows, 'row')}, sets of {at_most}):"
    shown = []
    for size in range(1, singling.largest + 1):
        shown += [one for one in singling.sets if len(one.columns) == size][:3]
    for one in shown[:_MOST_SETS]:
        names = " + ".join(plain(name) for name in one.columns)
        verb = "singles" if len(one.columns) == 1 else "single"
        yield f"  {names} {verb} out {plural(one.rows, 'row')}"
    left = len(singling.sets) - len(shown[:_MOST_SETS])
    if left:
        yield f"  and {left:,} more {'set' if left == 1 else 'sets'} of columns"


def _columns(found: Inspection) -> Iterator[str]:
    if found.risk is None or not found.changes:
        return
    tells = {one.name: one.tells for one in found.columns}
    yield f"What each of them does to the {plural(found.risk.unique, 'row')} that are unique:"
    yield f"  {'':<{_MOST_NAMES}} {'distinct':>9} {'separate':>9} {'rare values':>12} {'left out':>10} {'coarser':>10}"
    in_order = sorted(found.changes, key=lambda change: change.without)
    for one in in_order[:_MOST_COLUMNS]:
        told = tells[one.column]
        if told is None:
            continue
        name = short(plain(one.column), _MOST_NAMES)
        coarser = "" if one.coarser is None else f"{one.coarser:,}"
        told_apart = f"{approximately(told.distinction):>9} {approximately(told.separation):>9}"
        left = f"{told.rare_values:>12,} {one.without:>10,} {coarser:>10}"
        yield f"  {name}{' ' * (_MOST_NAMES - width(name))} {told_apart} {left}".rstrip()
    if len(in_order) > _MOST_COLUMNS:
        yield f"  and {plural(len(in_order) - _MOST_COLUMNS, 'column')} more, without which at least as many are unique"
    yield f"  Rare: in fewer than {RARE} rows. Left out, coarser: rows that are unique without it, or with it one level"
    yield "  coarser."


def _besides(found: Inspection) -> Iterator[str]:
    if not found.undecided:
        return
    many = "1 column" if len(found.undecided) == 1 else f"{len(found.undecided):,} columns"
    yield f"Decide {many}: {listing(found.undecided)}. If an outsider may know it about a person, it is a"
    yield "quasi-identifier; if nobody can, it may be published as it is. Until then it is not published."
    if found.risk is None:
        return
    more = sorted(found.besides, key=lambda one: -one.unique)[:5]
    for one in more:
        if one.unique > found.risk.unique:
            yield f"  {plain(one.column)} known, too: {plural(one.unique, 'row')} unique, not {found.risk.unique:,}"
