# SPDX-License-Identifier: Apache-2.0
"""What is measured: speed against rivals and bounds, and the papers' tables. Never mixed with tests of correctness."""
