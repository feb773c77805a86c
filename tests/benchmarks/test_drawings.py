# SPDX-License-Identifier: Apache-2.0
"""The pictures of promises, methods and attacks are what the code draws now, one a page, small, for both themes."""

import re
from pathlib import Path

import pytest
from benchmarks.drawings.__main__ import ALL, FOLDER

from discreet.methods import METHODS
from discreet.privacy import PROMISES, Both

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = "python -m benchmarks.drawings"


def pages():
    classes = [("methods", cls) for cls in METHODS.values()]
    classes += [("privacy", cls) for cls in PROMISES.values() if cls is not Both]
    attacks = {("attacks", path.stem) for path in (DOCS / "attacks").glob("*.md")} | {(".", "attacks")}
    named = {(folder, cls.__module__.rpartition(".")[2]) for folder, cls in classes}
    return sorted(named | {("methods", "fwell")} | attacks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_a_picture_is_what_the_code_draws_now(name):
    assert (FOLDER / f"{name}.svg").read_text(encoding="utf-8") == ALL[name](), AGAIN


def test_every_page_of_a_promise_a_method_and_an_attack_has_its_picture():
    assert {stem for _, stem in pages()} == set(ALL) == {path.stem for path in FOLDER.glob("*.svg")}
    for folder, stem in pages():
        text = (DOCS / folder / f"{stem}.md").read_text(encoding="utf-8")
        (alt,) = re.findall(rf"^!\[(.+)\]\((?:\.\./)?_static/drawings/{stem}\.svg\)$", text, re.MULTILINE)
        assert len(alt) > 40
        assert "_static/drawings" in text.partition("\n## ")[0], "the picture comes first"
        drawn = (FOLDER / f"{stem}.svg").read_text(encoding="utf-8")
        assert set(re.findall(r"\d+", alt)) <= {*re.findall(r"\d+", drawn), "100"}, "figures are those of the picture"


def test_pictures_are_small_fetch_nothing_and_know_both_themes():
    for path in FOLDER.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert len(text) < 20_000, path.name
        assert "prefers-color-scheme:dark" in text
        assert not re.search(r"href|url\(|<script|<image", text)
