# SPDX-License-Identifier: Apache-2.0
"""What an attacker gets out of a release, tried out: linkage, inference, intersection, membership, reconstruction."""

from discreet.attacks.attack import CannotAttack, Finding, Published
from discreet.attacks.registry import ATTACKS, Case, run

attack = run  # as discreet.attack

__all__ = ["ATTACKS", "CannotAttack", "Case", "Finding", "Published", "attack", "run"]
