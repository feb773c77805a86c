# SPDX-License-Identifier: Apache-2.0
"""Noise: each mechanism states its sensitivity, its neighbours, its loss and its error."""

from discreet.mechanisms.additive import Gaussian, Geometric, Laplace
from discreet.mechanisms.euclidean import Euclidean
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.selection import Exponential, LaplaceTop, PermuteAndFlip

MECHANISMS: dict[str, type[Mechanism]] = {  # by name, as statements spell it
    mechanism.name: mechanism
    for mechanism in (Geometric, Laplace, Gaussian, Euclidean, LaplaceTop, Exponential, PermuteAndFlip)
}

__all__ = [
    "MECHANISMS",
    "Euclidean",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Laplace",
    "LaplaceTop",
    "Mechanism",
    "PermuteAndFlip",
]
