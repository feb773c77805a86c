# SPDX-License-Identifier: Apache-2.0
"""What the papers print, what was measured here, and the page that puts the two side by side."""
