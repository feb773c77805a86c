# SPDX-License-Identifier: Apache-2.0
"""A column with a hierarchy, ordered as if it had none, and written by the labels of the hierarchy.

For hierarchies that say nothing of the class: what can be told of it is then what it is without them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import Axis
from discreet.recoding.branch_sets import BranchSets, WholeBranches
from discreet.recoding.branches import in_branches


def in_own_order(axis: Axis, hierarchy: Hierarchy) -> tuple[Axis, WholeBranches | None] | None:
    """The axis as it is without the hierarchy, and the labels that its sets have from it.

    None where a value of the hierarchy stands for several of the column, such as 20-24: it shall be no finer.
    """
    column = axis.column
    hierarchy.check_against(column)
    assert axis.rare is not None
    listed = hierarchy.veiled(axis.rare.is_named_by)
    hierarchy = listed.completed(column)
    leaf_of_code = hierarchy.leaf_codes(column)[:-1]
    if len(np.unique(leaf_of_code)) < len(leaf_of_code):
        return None
    own = in_branches(axis, None)
    if own.tree is None and column.kind == "category":
        return replace(axis, tree=BranchSets.of(axis, hierarchy)), None
    return own, WholeBranches(column.name, column.kind, listed)
