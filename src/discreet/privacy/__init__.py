# SPDX-License-Identifier: Apache-2.0
"""What is promised: definitions and checks, no search."""

from discreet.privacy.base import PROMISES, Both, Promise, Verdict, promise_from
from discreet.privacy.containment import Containment, containment_anonymity
from discreet.privacy.k_anonymity import KAnonymity, k_anonymity
from discreet.privacy.k_anonymous_model import KAnonymousModel
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.t_closeness import TCloseness

__all__ = [
    "PROMISES",
    "Both",
    "Containment",
    "KAnonymity",
    "KAnonymousModel",
    "LDiversity",
    "Promise",
    "TCloseness",
    "Verdict",
    "containment_anonymity",
    "k_anonymity",
    "promise_from",
]
