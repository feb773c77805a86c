# SPDX-License-Identifier: Apache-2.0
"""Singling out, linkability and inference by anonymeter and by discreet: `python -m benchmarks.anonymeter`."""
