# SPDX-License-Identifier: Apache-2.0
"""No knowledge of the field: parameters, randomness, progress, files that appear whole."""
