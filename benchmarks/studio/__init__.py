# SPDX-License-Identifier: Apache-2.0
"""How long a page of the studio takes while a large table is read, counted and compared."""
