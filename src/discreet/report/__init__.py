# SPDX-License-Identifier: Apache-2.0
"""What a report says, as one plain dictionary (summary.py), and the dictionary as a page (release_page.py) or text."""
