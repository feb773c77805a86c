# SPDX-License-Identifier: Apache-2.0
"""What a release cost (study.py, utility.py, changes.py), and what it still tells (risk.py, attacks)."""
