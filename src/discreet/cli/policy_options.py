# SPDX-License-Identifier: Apache-2.0
"""The option --policy of `release`, `verify` and `report`: limits of the holder that a release must keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import say

if TYPE_CHECKING:
    from discreet.report.policy import Policy

PolicyFile = Annotated[
    Path | None, typer.Option("--policy", help="A policy.toml with limits; a release that breaks one fails.")
]


@dataclass(frozen=True)
class PolicyOptions:
    """Which limits a release must keep."""

    policy: PolicyFile = None

    def read(self) -> Policy | None:
        """The policy, if one is named: before any work is done."""
        return read_policy(self.policy)


def read_policy(path: Path | None) -> Policy | None:
    if path is None:
        return None
    from discreet.report.policy import Policy

    return Policy.read(path)


def enforced(policy: Policy | None, release: Any, sign: Path | None) -> dict[str, Any] | None:
    """The lines of a release that is about to be saved; PolicyBroken, before anything is written, if one fails."""
    if policy is None:
        return None
    from discreet.release.signature import public_key_of
    from discreet.report.policy import PolicyResult

    signer = None if sign is None else public_key_of(sign)
    return PolicyResult(policy.name, tuple(policy.enforce(release, signer=signer))).to_dict()


def say_policy(result: dict[str, Any] | None, *, quiet: bool = False) -> None:
    """Print the lines of a policy, of a release that fails on standard error."""
    if result is None:
        return
    name = f" {result['name']!r}" if result["name"] else ""
    failed = [line for line in result["lines"] if not line["passed"]]
    wrong = bool(failed)
    said = f"{len(failed)} of {len(result['lines'])} lines fail" if failed else f"all {len(result['lines'])} lines pass"
    say(f"Policy{name}: {said}.", err=wrong)
    for line in result["lines"] if not quiet else failed:
        state = "fails" if not line["passed"] else "passes" if line["applies"] else "n/a"
        say(f"  {state:<7} {line['asked']}: {line['found']}", err=wrong)
