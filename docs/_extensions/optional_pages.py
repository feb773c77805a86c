# SPDX-License-Identifier: Apache-2.0
"""Pages that may be there or not: a line `name*` of a table of contents is left out if no page matches it."""

import posixpath
from fnmatch import fnmatch


def without_missing(app, docname, source):
    folder = posixpath.dirname(docname)
    lines = source[0].split("\n")
    source[0] = "\n".join(one for one in lines if not _matches_nothing(app, folder, one))


def _matches_nothing(app, folder, line):
    if not line.endswith("*") or not line[:-1].replace("/", "").replace(".", "").replace("-", "").isalnum():
        return False
    pattern = posixpath.normpath(posixpath.join(folder, line))
    return not any(fnmatch(name, pattern) for name in app.env.found_docs)


def setup(app):
    app.connect("source-read", without_missing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
