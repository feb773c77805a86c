# SPDX-License-Identifier: Apache-2.0
"""How: one published method per file."""

from discreet.methods.base import METHODS, Method
from discreet.methods.breach_aware import BreachAwareSelector
from discreet.methods.fwell import Fwell
from discreet.methods.greedy import GreedySelector
from discreet.methods.kactus import KActus
from discreet.methods.kactus2 import KActus2
from discreet.methods.kadet import KAdet, load_model
from discreet.methods.maximal import MaximalSelector
from discreet.methods.mondrian import Mondrian
from discreet.methods.optimal import OptimalSelector
from discreet.methods.private_fwell import PrivateFwell
from discreet.methods.private_select import ExponentialSelector, LaplaceSelector
from discreet.methods.private_table import PrivateTable
from discreet.methods.random_flip import RandomFlip
from discreet.methods.refine import TopDownRefinement
from discreet.methods.sketch import DeltaSketch, VarianceSketch
from discreet.methods.specialize import TopDownSpecialization
from discreet.methods.tree_ladder import TreeLadder

__all__ = [
    "METHODS",
    "BreachAwareSelector",
    "DeltaSketch",
    "ExponentialSelector",
    "Fwell",
    "GreedySelector",
    "KActus",
    "KActus2",
    "KAdet",
    "LaplaceSelector",
    "MaximalSelector",
    "Method",
    "Mondrian",
    "OptimalSelector",
    "PrivateFwell",
    "PrivateTable",
    "RandomFlip",
    "TopDownRefinement",
    "TopDownSpecialization",
    "TreeLadder",
    "VarianceSketch",
    "load_model",
]
