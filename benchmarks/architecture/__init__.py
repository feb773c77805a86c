# SPDX-License-Identifier: Apache-2.0
"""The tree of files as figures: what imports what, which way one release takes through it, what is written twice."""
