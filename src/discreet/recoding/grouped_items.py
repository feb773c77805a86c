# SPDX-License-Identifier: Apache-2.0
"""Items published in groups: a row has a group if it has one of its members. The record with which others recode.

The record is the file recoding.json of baskets. It states what each published item means, in the order of the published
items: its members, or the score and the points that a row reaches at least. An item that was not grouped is its own
only member. Records without scores are of format 1, others of format 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, ValidationError

from discreet.data.baskets import Baskets
from discreet.errors import DataError
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import MOST_STATED
from discreet.recoding.item_scores import MOST_POINTS, ItemScore, columns_of, has_one
from discreet.recoding.record import RECORD

_MOST_GROUPS, _MOST_MEMBERS = 100_000, 2_000_000


def _texts(value: Any) -> Any:
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        raise ValueError
    return value


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    item: str
    any_of: Annotated[Any, BeforeValidator(_texts)]


class _StepRecord(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    item: str
    score: Annotated[int, Field(ge=0)]
    at_least: Annotated[int, Field(gt=0, le=2**53)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    format: Literal[1]
    groups: Annotated[list[_Group], FailFast()]


class _ScoreRecord(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    format: Literal[2]
    scores: Annotated[list[Any], FailFast()]
    groups: Annotated[list[_Group | _StepRecord], FailFast()]


class ScoreStep(NamedTuple):
    """A published item that a row has if it reaches so many points of a score."""

    score: int
    at_least: int


@dataclass(frozen=True)
class GroupedItems:
    """Published items, each with its members, sorted; or with a score, and the points that a row reaches at least.

    >>> words = GroupedItems.of({"fruit": ["pear", "apple"], "milk": ["milk"]})
    >>> words.apply(Baskets.from_transactions([["apple"], ["milk", "pear"], ["tea"]])).matrix.toarray().tolist()
    [[1, 0], [1, 1], [0, 0]]
    """

    names: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]  # none where the published item is a step of a score
    scores: tuple[ItemScore, ...] = ()
    steps: tuple[ScoreStep | None, ...] = ()  # of each published item, or nothing at all without scores

    @classmethod
    def of(cls, groups: Mapping[str, Sequence[str] | ScoreStep], scores: Sequence[ItemScore] = (), /) -> GroupedItems:
        """The published items; scores that no step uses are left out."""
        used = sorted({one.score for one in groups.values() if isinstance(one, ScoreStep)})
        members, steps = list[tuple[str, ...]](), list[ScoreStep | None]()
        for one in groups.values():
            if isinstance(one, ScoreStep):
                members.append(())
                steps.append(ScoreStep(used.index(one.score), one.at_least))
            else:
                members.append(tuple(sorted(set(one))))
                steps.append(None)
        return cls(tuple(groups), tuple(members), tuple(scores[place] for place in used), tuple(steps) if used else ())

    def apply(self, baskets: Baskets) -> Baskets:
        """The rows, old or new, with the published items; members that the baskets do not know are absent."""
        place = {name: item for item, name in enumerate(baskets.names)}
        matrix = has_one(baskets, [[place[m] for m in members if m in place] for members in self.members])
        if self.scores:
            reached = [score.of(baskets) for score in self.scores]
            rows = [
                np.zeros(0, int) if step is None else np.flatnonzero(reached[step.score] >= step.at_least)
                for step in self.steps
            ]
            matrix = matrix + columns_of(rows, len(baskets))
        grouped = Baskets.of(matrix, names=self.names)
        return Baskets(grouped.matrix, grouped.names, baskets.labels, baskets.classes, persons=baskets.persons)

    def places_in(self, baskets: Baskets) -> tuple[np.ndarray, np.ndarray]:
        """The items of the baskets that count for a published item, and the place of that published item."""
        place = {name: item for item, name in enumerate(baskets.names)}
        pairs = [(place[m], g) for g, members in enumerate(self.members) for m in members if m in place]
        counting = [score.places_in(baskets).tolist() for score in self.scores]
        for column, step in enumerate(self.steps):
            if step is not None:
                pairs += [(item, column) for item in counting[step.score]]
        items, groups = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return items, groups

    def within(self, names: Sequence[str]) -> GroupedItems:
        """Only these of the published items, in this order."""
        steps = self.steps or (None,) * len(self.names)
        means = {
            name: members if step is None else step
            for name, members, step in zip(self.names, self.members, steps, strict=True)
        }
        return GroupedItems.of({name: means[name] for name in names}, self.scores)

    def meaning(self, name: str, *, most: int) -> str:
        """What a published item says about a row, in words that name so many members; "" of an item by itself."""
        place = self.names.index(name)
        step = self.steps[place] if self.steps else None
        if step is None:
            listed = list(self.members[place])
            start = "" if listed == [name] else "a row has one of: "
        else:
            score = self.scores[step.score]
            pairs = [*score.items, *((f"{text}...", worth) for text, worth in score.beginnings)]
            listed = [f"{text} {worth}" for text, worth in sorted(pairs, key=lambda one: (-one[1], one[0]))]
            start = f"the points of a row's items come to {step.at_least} or more: "
        more = f" and {len(listed) - most} more" if len(listed) > most else ""
        return start and start + ", ".join(listed[:most]) + more

    @property
    def sizes(self) -> list[int]:
        """How many members each published item has, or its score."""
        steps = self.steps or (None,) * len(self.names)
        return [
            len(members) if step is None else len(self.scores[step.score])
            for members, step in zip(self.members, steps, strict=True)
        ]

    @property
    def mentioned(self) -> set[str]:
        """The items that the record names."""
        named = {member for members in self.members for member in members}
        return named | {name for score in self.scores for name, _ in score.items}

    @property
    def unseen(self) -> int:
        """Members that no published item is named after: that enough persons have each is not shown."""
        return len(self.mentioned - set(self.names))

    @property
    def beginnings(self) -> int:
        """How many beginnings of items the record names."""
        return len({text for score in self.scores for text, _ in score.beginnings})

    def problems(self, names: Sequence[str]) -> list[str]:
        """Contradictions between the record and the published items."""
        if self.names != tuple(names):
            return [f"{RECORD} does not have the items of the release as its groups."]
        return []

    def to_bytes(self) -> bytes:
        """The record, with a line for each published item and each score."""
        lines = []
        for place, name in enumerate(self.names):
            step = self.steps[place] if self.steps else None
            means = {"any_of": list(self.members[place])} if step is None else step._asdict()
            lines.append(json.dumps({"item": name, **means}, ensure_ascii=False))
        scores = [json.dumps(score.stated(), ensure_ascii=False) for score in self.scores]
        head = '{"format": 2, "scores": [\n ' + ",\n ".join(scores) + "],\n" if scores else '{"format": 1,'
        return (head + ' "groups": [\n ' + ",\n ".join(lines) + "]}\n").encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> GroupedItems:
        """Parse a record; DataError unless the bytes are exactly what discreet writes."""
        try:
            raw = read_json(content, most_keys=MOST_POINTS)
            if not isinstance(raw, dict) or len(raw["groups"]) > _MOST_GROUPS:
                raise ValueError
            grouped = cls._parsed(raw)
            if grouped._size > _MOST_MEMBERS or not grouped.names or len(set(grouped.names)) < len(grouped.names):
                raise ValueError
            if any(members != tuple(sorted(set(members))) for members in grouped.members):
                raise ValueError
        except (ValidationError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise DataError(f"{RECORD} is not a record of grouped items ({type(error).__name__}).") from None
        if grouped.to_bytes() != content:
            raise DataError(f"{RECORD} is not written as discreet writes it: it was edited.")
        return grouped

    @classmethod
    def _parsed(cls, raw: dict[str, Any]) -> GroupedItems:
        """Records without scores are of format 1; in others every score has a step."""
        record = _ScoreRecord.model_validate(raw) if "scores" in raw else _Record.model_validate(raw)
        members = tuple(tuple(one.any_of) if isinstance(one, _Group) else () for one in record.groups)
        names = tuple(one.item for one in record.groups)
        if isinstance(record, _Record):
            return cls(names, members)
        scores = tuple(map(ItemScore.of_statement, record.scores))
        steps = tuple(
            ScoreStep(one.score, one.at_least) if isinstance(one, _StepRecord) else None for one in record.groups
        )
        if not scores or {one.score for one in steps if one is not None} != set(range(len(scores))):
            raise ValueError
        return cls(names, members, scores, steps)

    @property
    def _size(self) -> int:
        return sum(map(len, self.members)) + sum(map(len, self.scores))

    @property
    def record(self) -> bytes | None:
        """The bytes of the record, or None if it is larger than readers accept."""
        if len(self.names) > _MOST_GROUPS or self._size > _MOST_MEMBERS:
            return None
        content = self.to_bytes()
        return content if len(content) <= MOST_STATED else None
