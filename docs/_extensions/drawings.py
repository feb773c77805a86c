# SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/_static/drawings stand in the page itself, so that they follow its theme and need no request."""

import re
from pathlib import Path

from docutils import nodes

FOLDER = "_static/drawings/"


def stand_in_the_page(app, doctree):
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        _, found, name = image["uri"].rpartition(FOLDER)
        if not found:
            continue
        svg = (Path(app.srcdir) / FOLDER / name).read_text(encoding="utf-8")
        alt = nodes.unescape(image.get("alt", "")).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        svg = re.sub(r"<title>.*?</title>\n?", "", svg, count=1, flags=re.DOTALL)
        svg = svg.replace("<svg ", f'<svg aria-label="{alt}" ', 1)
        image.replace_self(nodes.raw("", f'<div class="drawing" tabindex="0">{svg}</div>', format="html"))
        app.env.note_dependency(f"{FOLDER}{name}")


def setup(app):
    app.connect("doctree-read", stand_in_the_page, priority=1)  # before images are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
