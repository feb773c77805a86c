# SPDX-License-Identifier: Apache-2.0
"""Who learns, recipient and attacker alike: classifiers on distinct rows with counts, folds, protocols."""
