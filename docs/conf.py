# SPDX-License-Identifier: Apache-2.0
"""How the pages are built: `make docs`, warnings are errors.

Nothing is fetched when a page is built or read. Formulas become MathML, which browsers show without a script; scripts,
styles and fonts are those of the theme, copied into the build.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

from discreet import __version__

project = "discreet"
version = release = __version__
language = "en"

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
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
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_sidebars = {"**": ["pages"]}  # all pages at the left, on every page
html_theme_options = {
    "navigation_with_keys": False,
    "navbar_center": [],
    "footer_start": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def inline_formula(writer, node):
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_formula(writer, node):
    writer.body.append(f"<div class='formula'>{tex2mathml(node.astext(), as_block=True)}</div>")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
