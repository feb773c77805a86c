# SPDX-License-Identifier: Apache-2.0
"""Tables beyond memory: processor time and memory of each stage, beside those of DuckDB without discreet."""
