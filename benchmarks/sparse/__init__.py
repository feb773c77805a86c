# SPDX-License-Identifier: Apache-2.0
"""What is kept of sparse data: selected items, groups of items, weights of features."""
