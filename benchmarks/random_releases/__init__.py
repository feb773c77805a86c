# SPDX-License-Identifier: Apache-2.0
"""Random releases by all methods, counted again from their published files by plain Python."""
