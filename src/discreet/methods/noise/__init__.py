# SPDX-License-Identifier: Apache-2.0
"""Weights, names and rows under differential privacy."""
