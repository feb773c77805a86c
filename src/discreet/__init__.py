# SPDX-License-Identifier: Apache-2.0
"""A release is a labelled table made smaller or blurrier; a promise says what it still hides; nothing leaves before its
promise was checked on the written files.

The flow: data -> roles -> promise -> method -> release -> verify -> evaluate -> choose -> report. Names are loaded when
they are first used, so that `import discreet` is quick.
"""

import importlib as _importlib
import typing as _typing

from discreet._version import __version__

_WHERE = {
    # data and roles
    "Dataset": "discreet.data.dataset",
    "Table": "discreet.data.table",
    "Baskets": "discreet.data.baskets",
    "Roles": "discreet.data.roles",
    "suggest": "discreet.data.role_suggestions",
    "suggested_roles": "discreet.data.role_suggestions",
    # what is promised
    "KAnonymity": "discreet.privacy",
    "Containment": "discreet.privacy",
    "KAnonymousModel": "discreet.privacy",
    "KMap": "discreet.privacy",
    "KmAnonymity": "discreet.privacy",
    "LDiversity": "discreet.privacy",
    "TCloseness": "discreet.privacy",
    "DifferentialPrivacy": "discreet.privacy",
    "BreachIncrease": "discreet.privacy",
    "DeltaAnonymity": "discreet.privacy",
    "KVariance": "discreet.privacy",
    "Verdict": "discreet.privacy",
    # mining sketches
    "SketchKMeans": "discreet.sketching.mining",
    "SketchKNeighborsClassifier": "discreet.sketching.mining",
    "SketchLinearClassifier": "discreet.sketching.mining",
    "SketchReconstruction": "discreet.sketching.mining",
    # what goes out, and whether it holds
    "Release": "discreet.release.release",
    "Ledger": "discreet.release.ledger",
    "verify": "discreet.release.verify",
    "recode": "discreet.release.recode_rows",
    "Recoder": "discreet.release.recoder",
    # what it is worth
    "evaluate_utility": "discreet.evaluate.cross_evaluation",
    # what it still tells
    "attack": "discreet.attacks",
    "risk_of": "discreet.risk",
    "inspect_table": "discreet.risk",
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
    "LeftOutWarning": "discreet.errors",
    "UnknownValuesWarning": "discreet.errors",
}

if _typing.TYPE_CHECKING:
    from discreet.attacks import attack as attack
    from discreet.data.baskets import Baskets as Baskets
    from discreet.data.dataset import Dataset as Dataset
    from discreet.data.role_suggestions import suggest as suggest
    from discreet.data.role_suggestions import suggested_roles as suggested_roles
    from discreet.data.roles import Roles as Roles
    from discreet.data.table import Table as Table
    from discreet.errors import BudgetExceeded as BudgetExceeded
    from discreet.errors import CannotRelease as CannotRelease
    from discreet.errors import DataError as DataError
    from discreet.errors import DiscreetError as DiscreetError
    from discreet.errors import LedgerTampered as LedgerTampered
    from discreet.errors import LeftOutWarning as LeftOutWarning
    from discreet.errors import ParameterError as ParameterError
    from discreet.errors import PrivacyLeakWarning as PrivacyLeakWarning
    from discreet.errors import PromiseBroken as PromiseBroken
    from discreet.errors import RolesError as RolesError
    from discreet.errors import UnknownValuesWarning as UnknownValuesWarning
    from discreet.evaluate.cross_evaluation import evaluate_utility as evaluate_utility
    from discreet.methods import *
    from discreet.privacy import BreachIncrease as BreachIncrease
    from discreet.privacy import Containment as Containment
    from discreet.privacy import DeltaAnonymity as DeltaAnonymity
    from discreet.privacy import DifferentialPrivacy as DifferentialPrivacy
    from discreet.privacy import KAnonymity as KAnonymity
    from discreet.privacy import KAnonymousModel as KAnonymousModel
    from discreet.privacy import KmAnonymity as KmAnonymity
    from discreet.privacy import KMap as KMap
    from discreet.privacy import KVariance as KVariance
    from discreet.privacy import LDiversity as LDiversity
    from discreet.privacy import TCloseness as TCloseness
    from discreet.privacy import Verdict as Verdict
    from discreet.release.ledger import Ledger as Ledger
    from discreet.release.recode_rows import recode as recode
    from discreet.release.recoder import Recoder as Recoder
    from discreet.release.release import Release as Release
    from discreet.release.verify import verify as verify
    from discreet.risk import inspect_table as inspect_table
    from discreet.risk import risk_of as risk_of
    from discreet.sketching.mining import SketchKMeans as SketchKMeans
    from discreet.sketching.mining import SketchKNeighborsClassifier as SketchKNeighborsClassifier
    from discreet.sketching.mining import SketchLinearClassifier as SketchLinearClassifier
    from discreet.sketching.mining import SketchReconstruction as SketchReconstruction

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
    *("mechanisms", "release", "choose", "methods", "evaluate", "attacks", "risk", "study", "report", "studio", "cli"),
}


def __getattr__(name: str) -> _typing.Any:
    if name in _WHERE:
        value = getattr(_importlib.import_module(_WHERE[name]), name)
    elif name in _PACKAGES:
        return _importlib.import_module(f"discreet.{name}")
    elif name == "__all__":
        value = ["__version__", *_WHERE, *_methods().PUBLIC]
    elif name in _methods().PUBLIC:
        value = getattr(_methods(), name)
    else:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    globals()[name] = value
    return value


def _methods() -> _typing.Any:
    """The methods: their names are in the table of that package, which loads none of them."""
    return _importlib.import_module("discreet.methods")


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *_PACKAGES})
