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
    "SketchKMeans": "discreet.sketching.mining",
    "SketchKNeighborsClassifier": "discreet.sketching.mining",
    "SketchLinearClassifier": "discreet.sketching.mining",
    "SketchReconstruction": "discreet.sketching.mining",
    # what goes out, and whether it holds
    "Release": "discreet.release.release",
    "Ledger": "discreet.release.ledger",
    "load_model": "discreet.methods",
    "verify": "discreet.release.verify",
    "recode": "discreet.release.recode_rows",
    # what it is worth
    "evaluate_utility": "discreet.evaluate.cross_evaluation",
    # what it still tells
    "attack": "discreet.attacks",
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
    from discreet.attacks import attack
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
    from discreet.evaluate.cross_evaluation import evaluate_utility
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
    from discreet.release.ledger import Ledger
    from discreet.release.recode_rows import recode
    from discreet.release.release import Release
    from discreet.release.verify import verify
    from discreet.sketching.mining import (
        SketchKMeans,
        SketchKNeighborsClassifier,
        SketchLinearClassifier,
        SketchReconstruction,
    )

# the folders of the flow, each loaded when it is first used
_PACKAGES = {
    *(
        "foundation",
        "data",
        "counting",
        "engines",
        "prepare",
        "recoding",
        "samples",
        "learning",
        "sketching",
        "privacy",
    ),
    *("mechanisms", "release", "choose", "methods", "evaluate", "attacks", "study", "report", "cli"),
}


def __getattr__(name: str):
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    if name in _PACKAGES:
        return importlib.import_module(f"discreet.{name}")
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__():
    return sorted({*__all__, *_PACKAGES})
