# SPDX-License-Identifier: Apache-2.0
"""How good the estimates of population uniqueness are: samples of tables whose unique rows are known."""
