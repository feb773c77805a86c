# SPDX-License-Identifier: Apache-2.0
"""Preparing columns for a method: binning of numbers, one-hot items, generalisation hierarchies."""

from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.binning import Binning, equal_frequency_cuts, equal_width_cuts, mdl_cuts
from discreet.prepare.hierarchy import Hierarchy, Node, read_hierarchies, read_hierarchy
from discreet.prepare.intervals import cut_between, interval_label, is_whole
from discreet.prepare.one_hot import Binarisation, Item

__all__ = [
    "Binarisation",
    "Binning",
    "Hierarchy",
    "Item",
    "Node",
    "automatic",
    "cut_between",
    "equal_frequency_cuts",
    "equal_width_cuts",
    "interval_label",
    "is_whole",
    "mdl_cuts",
    "read_hierarchies",
    "read_hierarchy",
]
