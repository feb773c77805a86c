# SPDX-License-Identifier: Apache-2.0
"""What an attacker gets out of a release, tried out: linkage, inference, intersection, membership, reconstruction."""

from discreet.evaluate.attacks.base import CannotAttack, Finding, Published
from discreet.evaluate.attacks.registry import ATTACKS, Case, run

attack = run  # as discreet.attack

__all__ = ["ATTACKS", "CannotAttack", "Case", "Finding", "Published", "attack", "run"]
