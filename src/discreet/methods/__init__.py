# SPDX-License-Identifier: Apache-2.0
"""The methods, one per file, listed here and loaded on first use.

To add a method, write its file and enter it twice in this one: below for type checkers, and in `_TABLE`. The command
line, recipes and `discreet` itself take their methods from that table.

Parameters have the names of scikit-learn, and one name has one meaning for all methods:

random_state    a seed, or a generator of NumPy to draw one from; None draws from the operating system
n_features      the exact number of features to select
max_features    the largest number of features to select
neighbours      which tables count as neighbours for differential privacy
strategy        how PrivateFwell weighs features
neighbour_search  how VarianceSketch finds the nearest records

A selector has `support_`, a boolean mask over the input features, and `order_`, the indices of the selected ones in the
order of choice.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from discreet.methods.base import Method as Method
    from discreet.methods.breach.breach_aware import BreachAwareSelector as BreachAwareSelector
    from discreet.methods.containment.greedy import GreedySelector as GreedySelector
    from discreet.methods.containment.item_groups import ItemGroups as ItemGroups
    from discreet.methods.containment.km import KmSelector as KmSelector
    from discreet.methods.containment.maximal import MaximalSelector as MaximalSelector
    from discreet.methods.containment.optimal import OptimalSelector as OptimalSelector
    from discreet.methods.containment.random_flip import RandomFlip as RandomFlip
    from discreet.methods.guide import Guide as Guide
    from discreet.methods.guide import guide_of as guide_of
    from discreet.methods.guide import guides as guides
    from discreet.methods.guide import methods_with as methods_with
    from discreet.methods.guide import parameters_of as parameters_of
    from discreet.methods.guide import promised_by_default as promised_by_default
    from discreet.methods.noise.fwell import Fwell as Fwell
    from discreet.methods.noise.private_fwell import PrivateFwell as PrivateFwell
    from discreet.methods.noise.private_select import ExponentialSelector as ExponentialSelector
    from discreet.methods.noise.private_select import LaplaceSelector as LaplaceSelector
    from discreet.methods.noise.private_table import PrivateTable as PrivateTable
    from discreet.methods.noise.weighting import heaviest as heaviest
    from discreet.methods.sketches.delta_sketch import DeltaSketch as DeltaSketch
    from discreet.methods.sketches.streaming import StreamCounts as StreamCounts
    from discreet.methods.sketches.streaming import as_batch as as_batch
    from discreet.methods.sketches.streaming import line_batches as line_batches
    from discreet.methods.sketches.streaming import owners_key as owners_key
    from discreet.methods.sketches.streaming import sketch_stream as sketch_stream
    from discreet.methods.sketches.variance_sketch import VarianceSketch as VarianceSketch
    from discreet.methods.trees.kactus import KActus as KActus
    from discreet.methods.trees.kactus2 import KActus2 as KActus2
    from discreet.methods.trees.kadet import KAdet as KAdet
    from discreet.methods.trees.kadet import load_model as load_model
    from discreet.methods.trees.mondrian import Mondrian as Mondrian
    from discreet.methods.trees.refinement import TopDownRefinement as TopDownRefinement
    from discreet.methods.trees.specialization import TopDownSpecialization as TopDownSpecialization
    from discreet.methods.trees.tree_ladder import TreeLadder as TreeLadder

_TABLE = (  # the name on the command line, the class, the module
    ("breach-aware", "BreachAwareSelector", "breach.breach_aware"),
    ("greedy", "GreedySelector", "containment.greedy"),
    ("item-groups", "ItemGroups", "containment.item_groups"),
    ("km", "KmSelector", "containment.km"),
    ("maximal", "MaximalSelector", "containment.maximal"),
    ("optimal", "OptimalSelector", "containment.optimal"),
    ("random-flip", "RandomFlip", "containment.random_flip"),
    ("laplace-select", "LaplaceSelector", "noise.private_select"),
    ("exponential-select", "ExponentialSelector", "noise.private_select"),
    ("private-fwell", "PrivateFwell", "noise.private_fwell"),
    ("private-table", "PrivateTable", "noise.private_table"),
    ("delta-sketch", "DeltaSketch", "sketches.delta_sketch"),
    ("variance-sketch", "VarianceSketch", "sketches.variance_sketch"),
    ("kactus", "KActus", "trees.kactus"),
    ("kactus2", "KActus2", "trees.kactus2"),
    ("kadet", "KAdet", "trees.kadet"),
    ("mondrian", "Mondrian", "trees.mondrian"),
    ("tdr", "TopDownRefinement", "trees.refinement"),
    ("tds", "TopDownSpecialization", "trees.specialization"),
    ("tree-ladder", "TreeLadder", "trees.tree_ladder"),
)
_MODULES = {cls: module for _, cls, module in _TABLE}
_MODULES |= {"Fwell": "noise.fwell", "load_model": "trees.kadet"}  # public, and no method of release

PUBLIC = ("METHODS", "Method", *sorted(_MODULES))  # what `discreet` exports of this package
_STREAMING = ("StreamCounts", "as_batch", "line_batches", "owners_key", "sketch_stream")
_GUIDE = ("Guide", "guide_of", "guides", "methods_with", "parameters_of", "promised_by_default")
_MODULES |= {"heaviest": "noise.weighting", **dict.fromkeys(_STREAMING, "sketches.streaming")}  # for other folders
_MODULES |= dict.fromkeys(_GUIDE, "guide")
_EXPORTED = ["METHODS", "Method", *sorted(_MODULES)]
if not TYPE_CHECKING:  # type checkers take the imports above
    __all__ = _EXPORTED


class Registry(Mapping[str, "type[Method]"]):
    """The methods by their names on the command line; classes are loaded on first use."""

    _classes: ClassVar[dict[str, str]] = {name: cls for name, cls, _ in _TABLE}

    def __getitem__(self, name: str) -> type[Method]:
        method: type[Method] = _load(self._classes[name])
        return method

    def __contains__(self, name: object) -> bool:
        return name in self._classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)


METHODS = Registry()


def _load(name: str) -> Any:
    return getattr(importlib.import_module(f"discreet.methods.{_MODULES[name]}"), name)


def __getattr__(name: str) -> Any:
    if name == "Method":
        return importlib.import_module("discreet.methods.base").Method
    if name not in _MODULES:
        raise AttributeError(f"module 'discreet.methods' has no attribute {name!r}")
    return _load(name)


def __dir__() -> list[str]:
    return _EXPORTED
