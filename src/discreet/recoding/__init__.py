# SPDX-License-Identifier: Apache-2.0
"""How cells are written: labels and their meanings, plans, patterns, the published record."""
