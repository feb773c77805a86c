# SPDX-License-Identifier: Apache-2.0
"""What an attacker gets out of a release, tried out: linkage, inference, intersection, membership, reconstruction."""
