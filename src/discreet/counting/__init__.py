# SPDX-License-Identifier: Apache-2.0
"""Who is like whom: distinct rows, packed sets, supersets, separation of classes."""
