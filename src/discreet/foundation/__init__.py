# SPDX-License-Identifier: Apache-2.0
"""Tools without knowledge of the field: parameters, randomness, progress, atomic files."""
