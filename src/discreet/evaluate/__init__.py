# SPDX-License-Identifier: Apache-2.0
"""What a release cost (cross_evaluation.py, utility.py, changes.py), and how identifiable its rows are (risk.py)."""
