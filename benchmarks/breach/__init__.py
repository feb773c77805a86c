# SPDX-License-Identifier: Apache-2.0
"""Breach increase and candidate subsets: the worked example of the paper, and a study on its data sets."""
