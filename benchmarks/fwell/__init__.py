# SPDX-License-Identifier: Apache-2.0
"""The studies of the FWELL paper: `python -m benchmarks.fwell`."""
