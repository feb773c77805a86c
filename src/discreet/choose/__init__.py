# SPDX-License-Identifier: Apache-2.0
"""Choosing among attribute subsets or releases: E(S) by ranks, a score by values, the Pareto front."""

from discreet.choose.choice import MEASURES, Candidate, Choice, Measure, choose
from discreet.choose.criteria import Criterion
from discreet.choose.e_score import EScore, evaluate, evaluation
from discreet.choose.pareto import knee_of, pareto_front
from discreet.choose.release_candidates import from_folder, from_release, owner_measures
from discreet.choose.study_file import Result, Results, StudyRead, read_study
from discreet.choose.weights import E_WEIGHTS, WEIGHTS

__all__ = [
    "E_WEIGHTS",
    "MEASURES",
    "WEIGHTS",
    "Candidate",
    "Choice",
    "Criterion",
    "EScore",
    "Measure",
    "Result",
    "Results",
    "StudyRead",
    "choose",
    "evaluate",
    "evaluation",
    "from_folder",
    "from_release",
    "knee_of",
    "owner_measures",
    "pareto_front",
    "read_study",
]
