# SPDX-License-Identifier: Apache-2.0
"""A release is a labelled table made smaller or blurrier; a promise says what it still hides; nothing leaves before its
promise was checked on the written files.

The flow: data -> roles -> promise -> method -> release -> verify -> evaluate -> choose -> report. Names are loaded when
they are first used, so that `import discreet` is quick.
"""

import importlib
from typing import TYPE_CHECKING

from discreet._version import __version__

_WHERE = {
    # data and roles
    "Table": "discreet.data.table",
    "Baskets": "discreet.data.baskets",
    "Roles": "discreet.data.roles",
    "suggest": "discreet.data.roles",
    "suggested_roles": "discreet.data.roles",
    # what is promised
    "KAnonymity": "discreet.privacy",
    "Containment": "discreet.privacy",
    "KAnonymousModel": "discreet.privacy",
    "LDiversity": "discreet.privacy",
    "TCloseness": "discreet.privacy",
    "DifferentialPrivacy": "discreet.privacy",
    "BreachIncrease": "discreet.privacy",
    "DeltaAnonymity": "discreet.privacy",
    "KVariance": "discreet.privacy",
    "Verdict": "discreet.privacy",
    # how
    "BreachAwareSelector": "discreet.methods",
    "DeltaSketch": "discreet.methods",
    "ExponentialSelector": "discreet.methods",
    "Fwell": "discreet.methods",
    "GreedySelector": "discreet.methods",
    "KActus": "discreet.methods",
    "KActus2": "discreet.methods",
    "KAdet": "discreet.methods",
    "LaplaceSelector": "discreet.methods",
    "MaximalSelector": "discreet.methods",
    "Mondrian": "discreet.methods",
    "OptimalSelector": "discreet.methods",
    "PrivateFwell": "discreet.methods",
    "PrivateTable": "discreet.methods",
    "RandomFlip": "discreet.methods",
    "TopDownRefinement": "discreet.methods",
    "TopDownSpecialization": "discreet.methods",
    "TreeLadder": "discreet.methods",
    "VarianceSketch": "discreet.methods",
    # mining sketches
    "SketchKMeans": "discreet.mining",
    "SketchKNeighborsClassifier": "discreet.mining",
    "SketchLinearClassifier": "discreet.mining",
    "SketchReconstruction": "discreet.mining",
    # what goes out, and whether it holds
    "Release": "discreet.release",
    "Ledger": "discreet.ledger",
    "load_model": "discreet.methods",
    "verify": "discreet.verification",
    "recode": "discreet.recoding",
    # what it is worth
    "evaluate_utility": "discreet.evaluate.study",
    # what it still tells
    "attack": "discreet.evaluate.attacks",
    # what can go wrong
    "DiscreetError": "discreet.errors",
    "DataError": "discreet.errors",
    "RolesError": "discreet.errors",
    "ParameterError": "discreet.errors",
    "CannotRelease": "discreet.errors",
    "PromiseBroken": "discreet.errors",
    "BudgetExceeded": "discreet.errors",
    "LedgerTampered": "discreet.errors",
    "PrivacyLeakWarning": "discreet.errors",
}

__all__ = ["__version__", *_WHERE]

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.roles import Roles, suggest, suggested_roles
    from discreet.data.table import Table
    from discreet.errors import (
        BudgetExceeded,
        CannotRelease,
        DataError,
        DiscreetError,
        LedgerTampered,
        ParameterError,
        PrivacyLeakWarning,
        PromiseBroken,
        RolesError,
    )
    from discreet.evaluate.attacks import attack
    from discreet.evaluate.study import evaluate_utility
    from discreet.ledger import Ledger
    from discreet.methods import (
        BreachAwareSelector,
        DeltaSketch,
        ExponentialSelector,
        Fwell,
        GreedySelector,
        KActus,
        KActus2,
        KAdet,
        LaplaceSelector,
        MaximalSelector,
        Mondrian,
        OptimalSelector,
        PrivateFwell,
        PrivateTable,
        RandomFlip,
        TopDownRefinement,
        TopDownSpecialization,
        TreeLadder,
        VarianceSketch,
        load_model,
    )
    from discreet.mining import SketchKMeans, SketchKNeighborsClassifier, SketchLinearClassifier, SketchReconstruction
    from discreet.privacy import (
        BreachIncrease,
        Containment,
        DeltaAnonymity,
        DifferentialPrivacy,
        KAnonymity,
        KAnonymousModel,
        KVariance,
        LDiversity,
        TCloseness,
        Verdict,
    )
    from discreet.recoding import recode
    from discreet.release import Release
    from discreet.verification import verify

# discreet.utility.ham_dist and the like
_MODULES = {"utility", "privacy", "samples", "methods", "prepare", "choose", "mining"}


def __getattr__(name: str):
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"discreet.{name}")
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
