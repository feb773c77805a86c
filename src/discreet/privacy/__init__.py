# SPDX-License-Identifier: Apache-2.0
"""The promises: definitions and checks. How to keep them is up to the methods."""

from discreet.privacy.breach_increase import BreachIncrease
from discreet.privacy.budget import Budget
from discreet.privacy.containment import Containment, containment_anonymity
from discreet.privacy.differential_privacy import DifferentialPrivacy
from discreet.privacy.k_anonymity import KAnonymity, k_anonymity
from discreet.privacy.k_anonymous_model import KAnonymousModel
from discreet.privacy.k_map import KMap
from discreet.privacy.km_anonymity import KmAnonymity
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import PROMISES, Both, Promise, Verdict, promise_from
from discreet.privacy.sketch_promises import DeltaAnonymity, KVariance
from discreet.privacy.t_closeness import TCloseness

__all__ = [
    "PROMISES",
    "Both",
    "BreachIncrease",
    "Budget",
    "Containment",
    "DeltaAnonymity",
    "DifferentialPrivacy",
    "KAnonymity",
    "KAnonymousModel",
    "KMap",
    "KVariance",
    "KmAnonymity",
    "LDiversity",
    "Promise",
    "TCloseness",
    "Verdict",
    "containment_anonymity",
    "k_anonymity",
    "promise_from",
]
