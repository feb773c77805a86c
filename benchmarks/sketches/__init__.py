# SPDX-License-Identifier: Apache-2.0
"""The studies of the sketch paper, what it states beside what we measure: `python -m benchmarks.sketches`."""
