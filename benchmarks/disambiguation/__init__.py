# SPDX-License-Identifier: Apache-2.0
"""The containment paper's entity disambiguation on public data: `python -m benchmarks.disambiguation`."""
