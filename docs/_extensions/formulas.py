# SPDX-License-Identifier: Apache-2.0
"""Formulas as MathML, which browsers show without a script."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline_formula(writer, node):
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_formula(writer, node):
    math = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f"<div class='formula' tabindex='0' role='group' aria-label='Formula'>{math}</div>")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
