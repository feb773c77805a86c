# SPDX-License-Identifier: Apache-2.0
"""Commands that do not fit into a line go on in the next one, between words. What programs print keeps its lines."""

import re
from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

COMMANDS = re.compile(r"(\$ ([^\n]*\\\n)*[^\n]*(\n|\Z))+")


def begin(writer, block):
    text = block.astext()
    if block.get("language") != "console" or not COMMANDS.fullmatch(text):
        HTML5Translator.visit_literal_block(writer, block)
        return
    lines = "".join(f"<span>{_words(line)}\n</span>" for line in text.splitlines())
    shown = f'<div class="highlight"><pre>{lines}</pre></div>'
    writer.body.append(f'<div class="highlight-console commands">{shown}</div>\n')
    raise nodes.SkipNode


def _words(line):
    """A line of text, in which a word is not broken at its hyphens."""
    return re.sub(r"\S+", lambda word: f"<span>{escape(word[0])}</span>", line)


def setup(app):
    app.add_node(nodes.literal_block, override=True, html=(begin, HTML5Translator.depart_literal_block))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
