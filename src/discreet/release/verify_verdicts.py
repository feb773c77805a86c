# SPDX-License-Identifier: Apache-2.0
"""Check the verdict that a certificate states against its promise.

What the files show is recounted elsewhere and compared figure by figure. What rests on the owner's word cannot be
recounted, but it must state what the promise requires, meet it, and state nothing else.
"""

from __future__ import annotations

import math
import re

import numpy as np

from discreet.data.column import Column
from discreet.data.content import Content
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import shown
from discreet.privacy.breach_increase import BELOW, EMPIRICAL, SAME, BreachIncrease
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.k_anonymous_model import KAnonymousModel
from discreet.privacy.k_map import KMap
from discreet.privacy.promise import Both, Promise
from discreet.recoding.published_tree import PublishedTree
from discreet.release.certificate import VerdictRecord

REQUIRED = {  # by promise: the parameter that verdicts call required
    "k-anonymity": "k",
    "containment": "k",
    "k-map": "k",
    "(k, m)-anonymity": "k",
    "l-diversity": "l",
    "t-closeness": "t",
    "k-anonymous model": "k",
    "delta-anonymity": "delta",
    "k-variance": "k",
    "breach increase": "alpha",
    "differential privacy": "epsilon",
}
_NEAR = 1e-6
_BREACH = (
    "breach increase, 95 % from",
    "breach increase, 95 % to",
    "breach increase of the commonest value",
    "attacker's accuracy",
    "attacker's accuracy with all attributes",
    "share of the commonest value",
    "advantage over the commonest value",
    "advantage, 95 % from",
    "advantage, 95 % to",
)
_NUMBER = r"-?(?:[0-9]+(?:\.[0-9]+)?|inf|nan)"
_STRONGEST = re.compile(
    rf"The strongest attacker of .{{1,130}}, '[\w-]+', is right in {_NUMBER} % of the rows; with all attributes"
    rf" '[\w-]+' in {_NUMBER} %; whoever guesses the commonest value in {_NUMBER} %\. Breach increase {_NUMBER} % \("
    rf"95 %: {_NUMBER} to {_NUMBER}\), advantage over the commonest value {_NUMBER} points \({_NUMBER} to {_NUMBER}\)\."
)


def verdict_problems(stated: VerdictRecord, promise: Promise, rows: int) -> list[str]:
    """Contradictions between a stated verdict and its promise; `rows` is the number of published rows."""
    if stated.promise != str(promise):
        return ["The certificate's verdict is about another promise."]
    if not stated.holds or stated.rows_short:
        return ["The certificate itself states that the promise does not hold."]
    if isinstance(promise, Both):
        return _of_parts(stated, promise, rows)
    problems = _figures(stated, promise)
    if promise.name not in ("differential privacy", "k-anonymous model") and stated.rows != rows:
        problems.append(f"The verdict is about {stated.rows} rows; {rows} are published.")
    return problems


def _of_parts(stated: VerdictRecord, promise: Both, rows: int) -> list[str]:
    if len(stated.parts) != len(promise.promises):
        return ["The certificate's verdict has other parts than the promise."]
    first = stated.parts[0]
    problems = [
        problem
        for part, one in zip(stated.parts, promise.promises, strict=True)
        for problem in verdict_problems(part, one, rows)
    ]
    if (stated.required, stated.measured, stated.rows) != (first.required, first.measured, first.rows):
        problems.append("The certificate's verdict contradicts its first part.")
    return problems


def _figures(stated: VerdictRecord, promise: Promise) -> list[str]:
    required = getattr(promise, REQUIRED[promise.name]) if promise.name in REQUIRED else None
    if isinstance(required, (int, float)) and stated.required != required:
        return [f"The promise requires {required:g}; the certificate's verdict says {stated.required:g}."]
    slack = _NEAR if isinstance(promise, BreachIncrease) else 0.0
    more, less = stated.measured, stated.required
    if (more < less) if promise.higher_is_safer else (more > less + slack):
        word = "least" if promise.higher_is_safer else "most"
        return [f"{promise} requires at {word} {less:g}; the certificate states {more:g} measured."]
    return []


# -- what is the owner's word --------------------------------------------------------------------------------------


def bare_problems(stated: VerdictRecord) -> list[str]:
    """Check verdicts on sketches: they have no details, and never state more than was required."""
    if stated.measured != stated.required:
        return ["The certificate states more than what was required, which verdicts on sketches never do."]
    if stated.details or stated.notes or stated.with_label is not None or any(map(bare_problems, stated.parts)):
        return ["The certificate's verdict states more than verdicts on this promise do."]
    return []


def parts_problems(
    stated: VerdictRecord, promise: Promise, content: Content, roles: Roles | None, *, persons: bool
) -> list[str]:
    """Where a promise rests on the owner's word, what of it the published rows tell: other parts, and their groups."""
    joined = zip(promise.promises, stated.parts, strict=True) if isinstance(promise, Both) else [(promise, stated)]
    for part, one in joined:
        if isinstance(part, KMap) and part.needs_source:
            counted = KAnonymity(part.k).check_content(content, roles)
            shown_figures = {"groups": counted.details["groups"], "smallest group in the release": counted.measured}
            if one.notes or one.with_label is not None or set(one.details) != set(shown_figures):
                return ["The certificate's verdict states more than verdicts on this promise do."]
            smallest = one.details["smallest group in the release"]
            if one.details["groups"] != shown_figures["groups"] or not (
                0 < smallest <= counted.measured if persons else smallest == counted.measured
            ):
                return ["The groups of the data differ from what the certificate states about them."]
        elif not part.needs_source and not isinstance(part, BreachIncrease):
            if persons and not part.rows_tell:
                continue
            verdict = part.check_content(content, roles)
            if not verdict.holds:
                return [verdict.sentence()]
            if not persons and VerdictRecord.of(verdict) != one:
                return ["What is measured now differs from what the certificate states."]
    return []


def person_problems(stated: VerdictRecord, by_rows: VerdictRecord) -> list[str]:
    """Compare a count of persons with the count of rows: no group has more persons than rows.

    `by_rows` may lack the parts that cannot be checked on rows.
    """
    if by_rows.parts or not stated.parts:
        counted = {part.promise: part for part in (by_rows.parts or (by_rows,))}
        parts = stated.parts or (stated,)
    else:
        counted, parts = {by_rows.promise: by_rows}, stated.parts
    for part in parts:
        rows = counted.get(part.promise)
        if rows is None:
            if part.notes or not set(part.details) <= {"groups"}:
                return ["The certificate's verdict states more than verdicts on this promise do."]
            continue
        if part.measured > rows.measured or (part.with_label or 0) > (rows.with_label or 0):
            return ["The certificate states more persons in a group than the group has rows."]
        if set(part.details) != set(rows.details) or len(part.notes) != len(rows.notes):
            return ["The certificate's verdict states more than verdicts on this promise do."]
        if part.details.get("groups") != rows.details.get("groups"):
            return ["The groups of the data differ from what the certificate states about them."]
        if any(not _alike(mine, theirs) for mine, theirs in zip(part.notes, rows.notes, strict=True)):
            return ["The certificate's verdict states more than verdicts on this promise do."]
    return []


def _alike(note: str, other: str) -> bool:
    """Whether two notes differ only in their figures."""
    return re.sub(r"[0-9]+(?:[.,][0-9]+)*", "0", note) == re.sub(r"[0-9]+(?:[.,][0-9]+)*", "0", other)


def model_problems(stated: VerdictRecord, promise: Promise, document: Document) -> list[str]:
    """Compare the owner's count of a tree with its leaves, and with the rows of leaves that show their classes."""
    if not isinstance(promise, KAnonymousModel):
        return []
    tree = PublishedTree.of(document)
    leaves = [tree.nodes[place] for place in tree.leaves]
    shown_rows = [sum(leaf["counts"]) for leaf in leaves if leaf["counts"] is not None]
    hidden = [leaf["at_least"] for leaf in leaves if leaf["counts"] is None]
    counted = {"leaves": len(leaves), "leaves that show their classes": len(shown_rows)}
    if dict(stated.details) != counted or stated.notes or stated.with_label is not None or stated.parts:
        return [f"The tree has {len(leaves)} leaves; the certificate contradicts that."]
    if any(leaf["at_least"] != promise.k for leaf in leaves):
        return [f"A leaf of the tree does not state at least {promise.k} persons."]
    smallest = min((min(count for count in leaf["counts"] if count) for leaf in leaves if leaf["counts"]), default=None)
    if smallest is not None and stated.measured > smallest:
        return [f"A leaf shows {smallest} of a class; the certificate states at least {stated.measured:g}."]
    least = sum(shown_rows) + sum(hidden)
    if stated.rows < least or (not hidden and stated.rows != least) or stated.measured * len(leaves) > stated.rows:
        return [f"The leaves of the tree stand for at least {least} rows; the certificate states {stated.rows}."]
    return []


def breach_problems(stated: VerdictRecord, promise: Promise, table: Table, roles: Roles, *, persons: bool) -> list[str]:
    """Check that the figures of a breach increase follow from each other and from the rows."""
    if not isinstance(promise, BreachIncrease):
        return []
    names = [name for name in table.names if name in roles.sensitive]
    if len(names) == 1:
        return _breach(stated, promise, table.column(names[0]), roles, persons=persons)
    if len(stated.parts) != len(names) or stated.details:
        return ["The certificate's verdict does not have one part for each sensitive column."]
    for name, part in zip(names, stated.parts, strict=True):
        renamed = part.model_copy(update={"promise": str(promise)})
        if part.promise != f"{promise} of {shown(name)}":
            return ["The certificate's verdict is about another column."]
        problems = verdict_problems(renamed, promise, len(table))
        problems = problems or _breach(part, promise, table.column(name), roles, persons=persons)
        if problems:
            return problems
    worst = max(stated.parts, key=lambda part: part.measured - part.required)
    if (stated.required, stated.measured) != (worst.required, worst.measured):
        return ["The certificate's verdict contradicts its worst part."]
    if stated.notes != tuple(dict.fromkeys(note for part in stated.parts for note in part.notes)):
        return ["The certificate's verdict has other notes than its parts."]
    return []


def _breach(
    stated: VerdictRecord, promise: BreachIncrease, column: Column, roles: Roles, *, persons: bool
) -> list[str]:
    figures, wrong = stated.details, ["The figures of the breach increase do not follow from each other."]
    if set(figures) != set(_BREACH) or stated.parts or stated.with_label is not None:
        return ["The certificate's verdict states more than verdicts on this promise do, or less."]
    accuracy, baseline, common = (figures[name] for name in _BREACH[3:6])
    if not (0 < baseline <= 1 and 0 <= accuracy <= 1 and 0 < common <= 1):
        return wrong
    follow = [
        (stated.measured, accuracy / baseline - 1),
        (figures[_BREACH[2]], common / baseline - 1),
        (figures[_BREACH[6]], accuracy - common),
    ]
    if isinstance(promise.alpha, str):
        follow.append((stated.required, common / baseline - 1))
    if any(not math.isclose(a, b, abs_tol=1e-9) for a, b in follow):
        return wrong
    if not figures[_BREACH[0]] <= stated.measured <= figures[_BREACH[1]]:
        return wrong
    expected = [EMPIRICAL, *([SAME] if column.name == roles.target else [])]
    expected += [BELOW] if figures[_BREACH[2]] > 0 else []
    if list(stated.notes[1:]) != expected or not _STRONGEST.fullmatch(stated.notes[0]):
        return ["The certificate's verdict has other notes than verdicts on this promise have."]
    if not persons and promise.cuts is None and not column.has_missing:
        commonest = int(np.bincount(column.codes).max())
        if not math.isclose(common, commonest / len(column), abs_tol=1e-9):
            return [
                f"The share of the commonest value of {shown(column.name)} differs from what the certificate states."
            ]
    return []
