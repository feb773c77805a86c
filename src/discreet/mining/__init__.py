# SPDX-License-Identifier: Apache-2.0
"""Mining sketches: neighbours, clusters, linear models, and any estimator on reconstructed records."""

from discreet.mining.kmeans import SketchKMeans
from discreet.mining.linear import SketchLinearClassifier
from discreet.mining.neighbors import SketchKNeighborsClassifier
from discreet.mining.ragged import as_matrix, as_sketches, distances, unit
from discreet.mining.reconstructed import SketchReconstruction

__all__ = [
    "SketchKMeans",
    "SketchKNeighborsClassifier",
    "SketchLinearClassifier",
    "SketchReconstruction",
    "as_matrix",
    "as_sketches",
    "distances",
    "unit",
]
