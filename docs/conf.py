# SPDX-License-Identifier: Apache-2.0
"""How the pages are built: `make docs`, warnings are errors.

Nothing is fetched when a page is built or read. Formulas become MathML, which browsers show without a script; scripts,
styles and fonts are those of the theme, copied into the build. What is our own is in docs/_extensions.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from discreet import __version__

project = "discreet"
version = release = __version__
language = "en"

extensions = ["myst_parser", "formulas", "drawings", "docstrings", "commands"]
exclude_patterns = ["_build", "_extensions"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3  # headings down to ### can be linked to, as on a code host
myst_update_mathjax = False

html_theme = "pydata_sphinx_theme"
html_title = "discreet"
html_math_renderer = "mathml"
html_show_copyright = False
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_sidebars = {"index": [], "**": ["sidebar-nav-bs"]}  # the pages of a section at its left
html_theme_options = {
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],
    "navbar_center": ["navbar-nav"],
    "header_links_before_dropdown": 5,
    "footer_start": [],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
