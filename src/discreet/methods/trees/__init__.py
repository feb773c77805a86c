# SPDX-License-Identifier: Apache-2.0
"""Tables made k-anonymous along trees of cuts."""
