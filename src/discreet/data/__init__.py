# SPDX-License-Identifier: Apache-2.0
"""What comes in: tables, roles and baskets, from any frame, file or query; and how they are written again."""
