# SPDX-License-Identifier: Apache-2.0
"""The largest maximal sets of items: those that k rows share, and those that keep k-anonymity by containment."""

from discreet.itemsets.containment import largest_contained
from discreet.itemsets.frequent import largest_frequent
from discreet.itemsets.pool import Clock, Found

__all__ = ["Clock", "Found", "largest_contained", "largest_frequent"]
