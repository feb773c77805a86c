# SPDX-License-Identifier: Apache-2.0
"""Counting equal rows and supersets: distinct rows, bitmaps, entropy, separation of classes."""
