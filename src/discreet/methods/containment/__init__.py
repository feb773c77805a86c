# SPDX-License-Identifier: Apache-2.0
"""Feature selection under k-anonymity by containment, and its competitors."""
