# SPDX-License-Identifier: Apache-2.0
"""Reports in a browser: their size, and when the first picture is seen."""
