# SPDX-License-Identifier: Apache-2.0
"""How: one published method per file."""

from discreet.methods.base import METHODS, Method
from discreet.methods.greedy import GreedySelector
from discreet.methods.kactus import KActus
from discreet.methods.kactus2 import KActus2
from discreet.methods.kadet import KAdet, load_model
from discreet.methods.maximal import MaximalSelector
from discreet.methods.mondrian import Mondrian
from discreet.methods.optimal import OptimalSelector
from discreet.methods.random_flip import RandomFlip
from discreet.methods.refine import TopDownRefinement
from discreet.methods.specialize import TopDownSpecialization

__all__ = [
    "METHODS",
    "GreedySelector",
    "KActus",
    "KActus2",
    "KAdet",
    "MaximalSelector",
    "Method",
    "Mondrian",
    "OptimalSelector",
    "RandomFlip",
    "TopDownRefinement",
    "TopDownSpecialization",
    "load_model",
]
