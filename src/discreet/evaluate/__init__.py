# SPDX-License-Identifier: Apache-2.0
"""The cost of a release (cross_evaluation.py, utility.py, changes.py), and its re-identification risk (risk.py)."""
