# SPDX-License-Identifier: Apache-2.0
"""How: one published method per file."""

from discreet.methods.base import METHODS, Method
from discreet.methods.breach.breach_aware import BreachAwareSelector
from discreet.methods.containment.greedy import GreedySelector
from discreet.methods.containment.maximal import MaximalSelector
from discreet.methods.containment.optimal import OptimalSelector
from discreet.methods.containment.random_flip import RandomFlip
from discreet.methods.noise.fwell import Fwell
from discreet.methods.noise.private_fwell import PrivateFwell
from discreet.methods.noise.private_select import ExponentialSelector, LaplaceSelector
from discreet.methods.noise.private_table import PrivateTable
from discreet.methods.sketches.sketch import DeltaSketch, VarianceSketch
from discreet.methods.trees.kactus import KActus
from discreet.methods.trees.kactus2 import KActus2
from discreet.methods.trees.kadet import KAdet, load_model
from discreet.methods.trees.mondrian import Mondrian
from discreet.methods.trees.refinement import TopDownRefinement
from discreet.methods.trees.specialization import TopDownSpecialization
from discreet.methods.trees.tree_ladder import TreeLadder

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
