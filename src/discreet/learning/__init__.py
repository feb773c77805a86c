# SPDX-License-Identifier: Apache-2.0
"""Classifiers on distinct rows with counts, for recipients and attackers alike; folds and significance tests."""
