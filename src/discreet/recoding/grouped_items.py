# SPDX-License-Identifier: Apache-2.0
"""Items published in groups: a row has a group if it has one of its members. The record with which others recode.

The record is the file recoding.json of baskets. It states each published item with its members, in the order of the
published items; an item that was not grouped is its own only member.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, ValidationError

from discreet.data.baskets import Baskets
from discreet.errors import DataError
from discreet.foundation.bounded_json import read_json
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.plain_files import MOST_STATED
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


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    format: Literal[1]
    groups: Annotated[list[_Group], FailFast()]


@dataclass(frozen=True)
class GroupedItems:
    """Published items, each with its members, sorted.

    >>> words = GroupedItems.of({"fruit": ["pear", "apple"], "milk": ["milk"]})
    >>> words.apply(Baskets.from_transactions([["apple"], ["milk", "pear"], ["tea"]])).matrix.toarray().tolist()
    [[1, 0], [1, 1], [0, 0]]
    """

    names: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, groups: dict[str, Sequence[str]]) -> GroupedItems:
        return cls(tuple(groups), tuple(tuple(sorted(set(members))) for members in groups.values()))

    def apply(self, baskets: Baskets) -> Baskets:
        """The rows, old or new, with the published items; members that the baskets do not know are absent."""
        items, groups = self.places_in(baskets)
        shape = (baskets.shape[1], len(self.names))
        member = sp.csr_array((np.ones(len(items), dtype=np.int32), (items, groups)), shape=shape)
        grouped = Baskets.of((baskets.matrix.astype(np.int32) @ member) > 0, names=self.names)
        return Baskets(grouped.matrix, grouped.names, baskets.labels, baskets.classes, persons=baskets.persons)

    def places_in(self, baskets: Baskets) -> tuple[np.ndarray, np.ndarray]:
        """The items of the baskets that are members of a group, and the place of the group that each is in."""
        place = {name: item for item, name in enumerate(baskets.names)}
        pairs = [(place[m], g) for g, members in enumerate(self.members) for m in members if m in place]
        items, groups = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return items, groups

    def within(self, names: Sequence[str]) -> GroupedItems:
        """Only these of the published items, in this order."""
        members = dict(zip(self.names, self.members, strict=True))
        return GroupedItems(tuple(names), tuple(members[name] for name in names))

    @property
    def unseen(self) -> int:
        """Members that no published item is named after: that enough persons have each is not shown."""
        shown = set(self.names)
        return len({member for members in self.members for member in members} - shown)

    def problems(self, names: Sequence[str]) -> list[str]:
        """Contradictions between the record and the published items."""
        if self.names != tuple(names):
            return [f"{RECORD} does not have the items of the release as its groups."]
        return []

    def to_bytes(self) -> bytes:
        """The record, with a line for each published item."""
        pairs = zip(self.names, self.members, strict=True)
        lines = [json.dumps({"item": name, "any_of": list(members)}, ensure_ascii=False) for name, members in pairs]
        return ('{"format": 1, "groups": [\n ' + ",\n ".join(lines) + "]}\n").encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> GroupedItems:
        """Parse a record; DataError unless the bytes are exactly what discreet writes."""
        try:
            raw = read_json(content, most_keys=10)
            if not isinstance(raw, dict) or len(raw["groups"]) > _MOST_GROUPS:
                raise ValueError
            record = _Record.model_validate(raw)
            if sum(len(group.any_of) for group in record.groups) > _MOST_MEMBERS:
                raise ValueError
            grouped = cls(
                tuple(group.item for group in record.groups), tuple(tuple(group.any_of) for group in record.groups)
            )
            if len(set(grouped.names)) < len(grouped.names) or not grouped.names:
                raise ValueError
            if any(members != tuple(sorted(set(members))) for members in grouped.members):
                raise ValueError
        except (ValidationError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise DataError(f"{RECORD} is not a record of grouped items ({type(error).__name__}).") from None
        if grouped.to_bytes() != content:
            raise DataError(f"{RECORD} is not written as discreet writes it: it was edited.")
        return grouped

    @property
    def record(self) -> bytes | None:
        """The bytes of the record, or None if it is larger than readers accept."""
        n_members = sum(map(len, self.members))
        if len(self.names) > _MOST_GROUPS or n_members > _MOST_MEMBERS:
            return None
        content = self.to_bytes()
        return content if len(content) <= MOST_STATED else None
