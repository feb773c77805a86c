# SPDX-License-Identifier: Apache-2.0
"""Mining sketches: neighbours, clusters, linear models, and any estimator on reconstructed records."""

from discreet.sketching.mining.k_means import SketchKMeans
from discreet.sketching.mining.linear_classifier import SketchLinearClassifier
from discreet.sketching.mining.nearest_neighbors import SketchKNeighborsClassifier
from discreet.sketching.mining.ragged import as_matrix, as_sketches, distances, unit
from discreet.sketching.mining.reconstructed import SketchReconstruction

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
