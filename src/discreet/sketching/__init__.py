# SPDX-License-Identifier: Apache-2.0
"""Sketches of sparse records, and what can be computed from them."""
