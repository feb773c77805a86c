# SPDX-License-Identifier: Apache-2.0
"""Which one to take: E(S) by ranks, a score by values, the Pareto front; over attribute subsets and over releases."""

from discreet.choose.criteria import Criterion
from discreet.choose.evaluation import Evaluation, evaluate, evaluation
from discreet.choose.front import knee_of, pareto_front

__all__ = [
    "Criterion",
    "Evaluation",
    "evaluate",
    "evaluation",
    "knee_of",
    "pareto_front",
]
