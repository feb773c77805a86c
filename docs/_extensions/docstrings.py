# SPDX-License-Identifier: Apache-2.0
"""The directive `api`: public names of discreet with their signatures and docstrings, as they are in the code.

A docstring is plain text: its first paragraphs, a list of parameters, and doctests. It is turned into Markdown here, so
that what a name is for stands in one place, the code.
"""

import inspect
import re
from textwrap import dedent

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

import discreet


def markdown(text):
    """A docstring as Markdown.

    >>> print(markdown("Cut it.\\n\\nParameters\\n----------\\nk : int\\n    Persons."))
    Cut it.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `k` (int): Persons.
    """
    lines, out = dedent(text).strip().splitlines(), []
    blocks = re.split(r"\n\s*\n", "\n".join(lines))
    for block in blocks:
        rows = block.splitlines()
        if len(rows) > 1 and set(rows[1].strip()) == {"-"}:
            out += [f"**{rows[0].strip()}**", "\n".join(_parameters(rows[2:]))]
        elif rows[0].lstrip().startswith(">>>"):
            out.append("\n".join(["```{code-block} pycon", *(row.strip() for row in rows), "```"]))
        elif _is_list(rows):
            out.append("\n".join(["```{code-block} text", dedent("\n".join(rows)), "```"]))
        else:
            out.append(_escaped(" ".join(row.strip() for row in rows)))
    return "\n\n".join(one for one in out if one)


def _is_list(rows):
    """Whether the lines are aligned by hand: names at the left, what they mean at the right."""
    return any(re.search(r"\S {2,}\S", row) or (row.startswith(" ") and place) for place, row in enumerate(rows))


def _parameters(rows):
    out = []
    for row in rows:
        if row.startswith(" ") and out:
            out[-1] += f" {_escaped(row.strip())}"
            continue
        name, _, kind = row.partition(" : ")
        out.append(f"- `{name.strip()}`{f' ({_escaped(kind.strip())}):' if kind else ''}")
    return [one.removesuffix(":") if one.endswith("):") else one for one in out]


def _escaped(text):
    """Text outside of backticks, in which no sign has a meaning of its own."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<>\[\]$|#])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _signature(name, value):
    if not callable(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return name
    try:
        shown = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in shown.parameters.values() if one.name != "self"]
    text = str(shown.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return f"{name}{text}"


class Api(SphinxDirective):
    """Names separated by white space; each becomes a section."""

    has_content = True

    def run(self):
        made = []
        for name in " ".join(self.content).split():
            value = getattr(discreet, name)
            section = nodes.section(ids=[f"api-{name}"], names=[])
            section += nodes.title("", name)
            section += self._parsed(f"```{{code-block}} python\n{_signature(name, value)}\n```")
            section += self._parsed(markdown(inspect.getdoc(value) or ""))
            section += self._methods(name, value)
            made.append(section)
        return made

    def _methods(self, name, value):
        if not inspect.isclass(value) or issubclass(value, BaseException):
            return []
        own = [
            (one, found)
            for one, found in vars(value).items()
            if not one.startswith("_") and (inspect.isfunction(found) or isinstance(found, (classmethod, staticmethod)))
        ]
        lines = []
        for one, found in own:
            text = (inspect.getdoc(found) or "").split("\n\n")[0].replace("\n", " ")
            if text:
                lines.append(f"- `{_signature(one, getattr(value, one))}` {_escaped(text)}")
        return self._parsed("**Methods**\n\n" + "\n".join(lines)) if lines else []

    def _parsed(self, text):
        holder = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), source=self.env.docname), self.content_offset, holder)
        return holder.children


def setup(app):
    app.add_directive("api", Api)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
