# SPDX-License-Identifier: Apache-2.0
"""Speed as ratios against named rivals and bounds, both timed in one run. `python -m benchmarks.speed` prints all."""
