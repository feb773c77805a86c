# SPDX-License-Identifier: Apache-2.0
"""The containment paper's Tables 5 and 6, published figures beside ours: `python -m benchmarks.containment`."""
