# SPDX-License-Identifier: Apache-2.0
"""The editions of a release in a real browser: light and dark, on a phone and a desk, and on paper that is filled."""

import re
import zlib
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from browsing import CONTRAST, CUT_OFF, DESKTOP, PHONE, SMALL, new_page, watched
from discreet import samples
from discreet.cli.app import app

pytestmark = pytest.mark.browser

WHO = ("--target", "readmitted", "--quasi", "age,sex,zip,occupation", "--sensitive", "diagnosis")
EDITIONS = {
    "owner": (),
    "public": (),
    "signoff": ("--recipient", "A university", "--date", "2026-03-31"),
    "dictionary": (),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("editions")
    samples.load("clinic", rows=400, random_state=7).data.write(folder / "clinic.csv", "csv")
    (folder / "policy.toml").write_text("format = 1\nname = 'House'\nleast_k = 5\nsigned = true")

    def run(*words):
        return CliRunner().invoke(app, [*map(str, words)])

    out = folder / "out"
    assert run("release", folder / "clinic.csv", *WHO, "--method", "mondrian", "--k", 5, "-o", out, "-q").exit_code == 0
    for edition, more in EDITIONS.items():
        policy = () if edition == "dictionary" else ("--policy", folder / "policy.toml")
        done = run("report", out, "--edition", edition, *more, *policy, "-o", folder / f"{edition}.html")
        assert done.exit_code == (0 if edition == "dictionary" else 1), done.output  # it is not signed
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_fits_and_can_be_read(browser, folder, edition, scheme):
    for size in (SMALL, PHONE, DESKTOP):
        opened = watched(browser, folder / f"{edition}.html", size, scheme)
        width, inner = opened.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        faint = [(round(ratio, 2), text) for ratio, text in opened.evaluate(CONTRAST) if ratio < 4.5]
        assert (width <= inner, faint, opened.evaluate(CUT_OFF), opened.complaints) == (True, [], [], [])
        levels = opened.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))")
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        opened.close()


@pytest.mark.parametrize("edition", EDITIONS)
def test_on_paper_nothing_is_cut_off_and_no_page_but_the_last_is_half_empty(browser, folder, edition):
    opened = new_page(browser, {"width": 680, "height": 900})  # A4 between its margins
    opened.goto((folder / f"{edition}.html").as_uri())
    opened.emulate_media(media="print")
    beyond = (
        "[...document.querySelectorAll('table, pre, dl')].filter((e) => e.getBoundingClientRect().right > 681).length"
    )
    assert opened.evaluate(beyond) == 0
    filled = fills(opened.pdf(prefer_css_page_size=True))
    opened.close()
    assert 1 <= len(filled) <= 8
    assert all(share > 0.5 for share in filled[:-1]), filled


def fills(paper):
    """How far down the text of each page of a PDF reaches, as a share of the page; page numbers are not counted."""
    objects = {int(found[1]): found[2] for found in re.finditer(rb"(\d+) 0 obj\s*(.*?)endobj", paper, re.DOTALL)}
    pages = [one for one in objects.values() if re.search(rb"/Type\s*/Page\b(?!s)", one)]
    shares = []
    for page in pages:
        height = float(re.search(rb"/MediaBox\s*\[\s*\S+\s+\S+\s+\S+\s+(\S+?)\s*\]", page)[1])
        content = objects[int(re.search(rb"/Contents\s+(\d+) 0 R", page)[1])]
        drawn = zlib.decompress(re.search(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)[1])
        places = [place for place in heights(drawn) if 50 < place < height - 44]  # between the margins
        shares.append((height - min(places)) / height)
    return shares


def heights(drawn):
    """The height of each text: the matrix of the text times those of the page that are in force."""
    stack, matrix = [], (1.0, 0.0)  # the scale and the place along the page: pages are neither turned nor slanted
    for line in drawn.split(b"\n"):
        words = line.split()
        match words[-1:]:
            case [b"q"]:
                stack.append(matrix)
            case [b"Q"]:
                matrix = stack.pop()
            case [b"cm"]:
                matrix = (float(words[-4]) * matrix[0], float(words[-2]) * matrix[0] + matrix[1])
            case [b"Tm"]:
                yield float(words[-2]) * matrix[0] + matrix[1]
