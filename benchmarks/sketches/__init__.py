# SPDX-License-Identifier: Apache-2.0
"""The choice of the breach paper, Tables 3 to 8, published figures beside ours: `python -m benchmarks.choice`."""
