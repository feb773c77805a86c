# SPDX-License-Identifier: Apache-2.0
"""Attributes that serve the recipient and not the attacker."""
