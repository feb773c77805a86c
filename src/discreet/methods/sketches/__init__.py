# SPDX-License-Identifier: Apache-2.0
"""Sketches of sparse records."""
