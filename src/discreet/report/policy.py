# SPDX-License-Identifier: Apache-2.0
"""The holder's policy: limits that every release must keep, whatever its method, and whether one keeps them.

A policy is a TOML file. It is checked on the figures that the certificate states and the published rows show, so the
holder, before saving, and the recipient, afterwards, get the same lines. What a policy does not limit, it allows, with
one exception: a promise of a kind for which it sets no limit at all fails.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from discreet.errors import PolicyBroken
from discreet.report.policy_figures import Figures, figures_of
from discreet.report.policy_lines import LINES, PolicyLine, promise_line

FORMAT = 1
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")]


class Policy(BaseModel):
    """Limits by name; one that is left out limits nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    format: Literal[1]
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    least_k: Annotated[int, Field(ge=2)] | None = None
    least_l: Annotated[int, Field(ge=2)] | None = None
    largest_t: Share | None = None
    largest_epsilon: Annotated[float, Field(gt=0)] | None = None
    largest_delta: Share | None = None
    label_protected: bool | None = None
    largest_risk: Share | None = None
    largest_average_risk: Share | None = None
    largest_one_class_share: Share | None = None
    most_blank_columns: Annotated[int, Field(ge=0)] | None = None
    largest_suppressed_share: Share | None = None
    least_rows: Annotated[int, Field(ge=1)] | None = None
    never_published: Annotated[tuple[Name, ...], Field(max_length=1000)] | None = None
    promises: Annotated[tuple[Name, ...], Field(max_length=100)] | None = None
    repeatable: bool | None = None
    signed: bool | None = None
    signers: Annotated[tuple[Key, ...], Field(max_length=100)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, limits: Any) -> Any:
        """Lists as tuples, and whole numbers as numbers where a limit may have decimals."""
        if not isinstance(limits, dict):
            return limits
        return {
            name: tuple(value)
            if isinstance(value, list)
            else float(value)
            if type(value) is int and str(name).startswith("largest_")
            else value
            for name, value in limits.items()
        }

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """The policy of a file; every problem is named with its line and the nearest correct spelling."""
        from discreet.report.policy_reader import read_policy

        return read_policy(path)

    @classmethod
    def of(cls, text: str) -> Policy:
        """The policy of a text."""
        from discreet.report.policy_reader import policy_from

        return policy_from(text)

    @property
    def limits(self) -> dict[str, Any]:
        """What the policy asks for, by name."""
        asked = self.model_dump(exclude={"format", "name"}, exclude_none=True)
        return {name: value for name, value in asked.items() if value is not False}

    def check(self, release: Any, *, signer: str | None = None) -> list[PolicyLine]:
        """A line for each limit: what is asked, what was found, and whether it passes.

        `release` is a release in memory, the verification of a saved one (`verify`), or its published folder. For a
        release in memory, `signer` is the public key, in hex, of the key that will sign it.

        >>> from discreet import Mondrian, Roles
        >>> table = {"age": [31, 34, 38, 52, 55, 59], "ill": ["flu", "flu", "flu", "gout", "flu", "gout"]}
        >>> release = Mondrian(k=3).release(table, Roles(target="ill", quasi=["age"]))
        >>> for line in Policy(format=1, least_k=3, largest_one_class_share=0.2).check(release):
        ...     print(line.passed, line.sentence)
        True k of at least 3: 3 found.
        False at most 20.0 % of the rows in groups of one class: 50.0 % found.
        """
        figures = figures_of(release, signer)
        lines = [promise_line(self, figures)] if self.promises is not None or not _is_limited(self, figures) else []
        return lines + [LINES[name](self, figures) for name in self.limits if name in LINES]

    def enforce(self, release: Any, *, signer: str | None = None) -> list[PolicyLine]:
        """The lines of a release that passes; PolicyBroken, which names the lines, if one does not."""
        lines = self.check(release, signer=signer)
        failed = [line for line in lines if not line.passed]
        if failed:
            raise PolicyBroken(
                "\n  ".join(
                    [f"The release breaks {len(failed)} of {len(lines)} lines of {self.title}:", *map(str, failed)]
                )
            )
        return lines

    @property
    def title(self) -> str:
        return f"the policy {self.name!r}" if self.name else "the policy"


def _is_limited(policy: Policy, figures: Figures) -> bool:
    """Whether the policy sets a limit to some part of the promise."""
    return any(getattr(policy, limit) is not None for limit in figures.limited_by)


@dataclass(frozen=True)
class PolicyResult:
    """The lines of a policy about one release, as reports show them."""

    name: str
    lines: tuple[PolicyLine, ...]

    @property
    def passed(self) -> bool:
        return all(line.passed for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "passed": self.passed, "lines": [asdict(line) for line in self.lines]}


def checked(policy: Policy, release: Any, *, signer: str | None = None) -> PolicyResult:
    """The result of checking a release."""
    return PolicyResult(policy.name, tuple(policy.check(release, signer=signer)))


__all__ = ["Policy", "PolicyLine", "PolicyResult", "checked"]
