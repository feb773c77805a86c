# SPDX-License-Identifier: Apache-2.0
"""What readable labels cost, and how readable they are."""
