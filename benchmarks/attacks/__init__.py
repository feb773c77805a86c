# SPDX-License-Identifier: Apache-2.0
"""What attackers get out of releases: sparse data, several releases, membership, one row more."""
