# SPDX-License-Identifier: Apache-2.0
"""Whether the protocols are calibrated: labels that depend on nothing must not be predicted."""
