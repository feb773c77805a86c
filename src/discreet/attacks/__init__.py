# SPDX-License-Identifier: Apache-2.0
"""Attacks that measure what a release reveals: linkage, inference, intersection, membership, reconstruction."""

from discreet.attacks.case import Case
from discreet.attacks.finding import AttackFindings, CannotAttack, Finding
from discreet.attacks.published import Published
from discreet.attacks.registry import ATTACKS, run

attack = run  # as discreet.attack

__all__ = ["ATTACKS", "AttackFindings", "CannotAttack", "Case", "Finding", "Published", "attack", "run"]
