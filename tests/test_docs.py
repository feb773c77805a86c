# SPDX-License-Identifier: Apache-2.0
"""The texts are true: their code runs and prints what they say, their links lead somewhere, their pages are complete.

Every block of commands and of Python runs (page_code.py says how); what cannot run gives its reason.
"""

import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer

import discreet
import page_code
from built_site import built_site
from discreet.methods import METHODS, parameters_of
from discreet.privacy import PROMISES, Both
from discreet.release.certificate import Certificate
from page_code import FENCED, Block, commands, parse, run_page

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *DOCS]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    return page_code.blocks(page.read_text(encoding="utf-8"))


def prose(page: Path) -> str:
    """The text of a page outside its code blocks, in one line."""
    return " ".join(FENCED.sub("", page.read_text(encoding="utf-8")).split())


def headings(page: Path) -> list[str]:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [line.removeprefix("## ").strip() for line in text.splitlines() if line.startswith("## ")]


# -- code --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch, patient):
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), name_of(page))


NOT_RUN = {
    "README.md": 1,  # make
    "CONTRIBUTING.md": 1,  # make
    "docs/files.md": 1,  # PostgreSQL
    "docs/how-to/run-on-a-cluster.md": 1,  # Spark
    "docs/install.md": 2,  # pip, podman
    "docs/reproduction.md": 43,  # hours
    "docs/scale.md": 1,  # PostgreSQL
    "docs/scale-baskets.md": 1,  # Spark, PostgreSQL
    "docs/scale-cluster.md": 1,  # Spark
    "docs/scale-databases.md": 1,  # PostgreSQL
    "docs/studio.md": 1,  # a server
}


def test_few_blocks_are_not_run_each_for_a_reason_and_all_of_them_are_parsed():
    left_out = {name_of(page): [block for block in blocks(page) if block.why_not] for page in PAGES}
    assert {name: len(found) for name, found in left_out.items() if found} == NOT_RUN
    for name, found in left_out.items():
        for block in found:
            assert len(block.why_not.split()) >= 5, f"{name}, line {block.line}: why?"
            for command in commands(block):
                parse(command.text)


def test_an_option_that_does_not_exist_is_found_where_a_command_is_only_parsed():
    with pytest.raises(typer.Exit):
        parse("discreet release people.csv --quassi age -o out")


def test_what_looks_like_a_command_is_in_a_block_that_is_run():
    """No other kind of block hides one; and kinds are spelt as the tests know them."""
    known = {"python", "pycon", "console", "output", "text", "toml", "python spark"}
    for page in PAGES:
        for block in blocks(page):
            where = f"{name_of(page)}, line {block.line}"
            assert block.language in known or block.language.startswith("{"), where
            assert block.language == "console" or not re.search(r"^\$ ", block.code, re.MULTILINE), where


@pytest.mark.parametrize(
    "block",
    ["```console\n$ discreet verify nowhere\n```\n", "```console\n$ discreet --version\nanother\n```\n"],
    ids=["status", "output"],
)
def test_a_command_that_fails_or_prints_something_else_is_noticed(block):
    with pytest.raises(AssertionError):
        run_page(block, "page")


def test_there_is_code_to_run():
    kinds = [block.language for page in PAGES for block in blocks(page) if not block.why_not]
    assert kinds.count("python") >= 100
    assert kinds.count("output") >= 100
    assert kinds.count("console") >= 60


# -- README ------------------------------------------------------------------------------------------------------------


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile():
    commands = [b.code for b in blocks(ROOT / "README.md") if b.language == "console"]
    asked = re.findall(r"^\$ make (\w+)", "".join(commands), re.MULTILINE)
    assert asked[:2] == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)`", prose(ROOT / "README.md")) + asked:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_python_of_the_readme_is_short():
    (code,) = [block.code for block in blocks(ROOT / "README.md") if block.language == "python"]
    assert len(code.splitlines()) <= 25


def test_the_readme_names_every_promise_and_method():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for cls in [*METHODS.values(), *promises()]:
        assert f"`{cls.__name__}`" in text, cls.__name__


READERS = ["You hold a table", "You answer for privacy", "You learn from a release", "You know ARX"]


def test_the_readme_begins_with_a_few_commands_for_each_of_four_readers():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == READERS
    for reader in READERS:
        section = text.partition(f"### {reader}\n")[2].partition("\n#")[0]
        asked = [
            command for block in page_code.blocks(section) if block.language == "console" for command in commands(block)
        ]
        assert 3 <= len(asked) <= 5


def test_the_readme_shows_the_report_by_day_and_by_night():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r'(?:srcset|src)="([^"]+)"', text)
    assert len(shown) == 2
    for name in shown:
        content = (ROOT / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 200_000
    assert not re.search(r"!\[[^\]]*\]\(https?:", text), "nothing is fetched from elsewhere"


def test_the_badges_of_the_readme_say_what_holds():
    text, project = (
        (ROOT / "README.md").read_text(encoding="utf-8"),
        tomllib.loads((ROOT / "pyproject.toml").read_text()),
    )
    badges = dict(re.findall(r"!\[([^\]]+)\]\((docs/images/badge-[a-z]+\.svg)\)", text))
    assert len(badges) == 4
    for said, name in badges.items():
        assert f"<title>{said}</title>" in (ROOT / name).read_text(encoding="utf-8")
    least = project["project"]["requires-python"].removeprefix(">=")
    assert {f"Python: {least} or newer", "licence: Apache-2.0", "types: mypy, strict"} <= set(badges)
    assert project["project"]["license"].startswith("Apache-2.0")
    assert project["tool"]["mypy"]["strict"]


# -- the first page of the site ----------------------------------------------------------------------------------------


def test_the_first_page_has_a_sentence_a_picture_three_commands_and_four_doors():
    page = ROOT / "docs" / "index.md"
    text = page.read_text(encoding="utf-8")
    said = re.match(r"# discreet\n\n\*\*([^*]+)\*\*\n", text)
    assert said
    assert said[1].count(".") == 1
    assert {name for name in ("light", "dark") if f"images/report-{name}.png" in text} == {"light", "dark"}
    asked = [
        command.text.split()[1] for block in blocks(page) if block.language == "console" for command in commands(block)
    ]
    assert asked == ["data", "release", "verify"]
    doors = text.partition("## Four doors\n")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| \*\*[^|]+\*\* \|.*\]\(.*\|.*\]\(.*\|$", doors, re.MULTILINE)) == 4


WANTED = {  # what somebody wants to do, and its page
    *("choose-k", "choose-a-method", "protect-the-label", "release-every-year", "verify", "learn-from-a-release"),
    *("run-on-a-cluster", "switch-from-arx", "switch-from-sdcmicro"),
}


def test_there_is_a_page_for_what_people_want_to_do():
    pages = {page.stem for page in (ROOT / "docs" / "how-to").glob("*.md")} - {"index"}
    assert pages == WANTED
    listed = (ROOT / "docs" / "how-to" / "index.md").read_text(encoding="utf-8")
    for stem in WANTED:
        assert f"]({stem}.md)" in listed
        assert any(block.language == "console" for block in blocks(ROOT / "docs" / "how-to" / f"{stem}.md"))


# -- pages -------------------------------------------------------------------------------------------------------------


def promises() -> list[type]:
    return [cls for cls in PROMISES.values() if cls is not Both]


def page_of(folder: str, cls: type) -> Path:
    return ROOT / "docs" / folder / f"{cls.__module__.rpartition('.')[2]}.md"


@pytest.mark.parametrize("promise", promises(), ids=lambda cls: cls.__name__)
def test_the_page_of_a_promise_is_complete(promise):
    page = page_of("privacy", promise)
    wanted = ["Promise", "Definition", "By hand", "What it does not protect"]
    assert [heading for heading in headings(page) if heading in wanted] == wanted
    assert f"`{promise.__name__}(" in prose(page)
    assert promise.does_not_protect in prose(page), "the page says what certificates say"


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda cls: cls.__name__)
def test_the_page_of_a_method_is_complete(method):
    page = page_of("methods", method)
    wanted = ["Paper", "Promise", "Assumptions", "Algorithm", "Departures from the paper", "Cost", "When not to use"]
    assert headings(page) == wanted
    included = [block.code for block in blocks(page) if block.language.startswith("{literalinclude}")]
    assert included, "the algorithm is shown by the code itself"


def test_the_page_of_the_release_lists_the_fields_of_the_certificate():
    text = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    section = text.split("## The certificate")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(Certificate.model_fields)


def test_the_page_about_known_labels_names_the_methods_that_cover_them():
    text = (ROOT / "docs" / "how-to" / "protect-the-label.md").read_text(encoding="utf-8")
    sentence = text.split("Of the methods for tables, ")[1].split("\n\n")[0]
    named = set(re.findall(r"`([a-z]\S*)`", sentence))
    assert named == {name for name in METHODS if "label_known" in parameters_of(name)}


def test_the_tests_that_the_page_of_leaks_names_exist():
    named = set(re.findall(r"`((?:check|basket|test)_\w+)`", prose(ROOT / "docs" / "leaks.md")))
    files = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    there = {name for text in files for name in re.findall(r"^def (\w+)", text, re.MULTILINE)}
    assert named
    assert named <= there, named - there


def test_the_changelog_has_a_heading_for_privacy():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("## [Unreleased]") for line in lines)
    assert "### Privacy" in lines


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_within_the_project_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose(page)):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name_of(page)} links to {target}"


def test_the_licence_is_apache_2():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


# -- build -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx")
    return built_site(tmp_path_factory)


@pytest.mark.slow
def test_the_pages_build_without_a_warning_and_fetch_nothing(site):
    assert site.status == 0, site.said
    fetched = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^>]*>")
    for page in site.folder.rglob("*.html"):
        assert not fetched.search(page.read_text(encoding="utf-8")), page.name


class Links(HTMLParser):
    """The links of a page, and the places in it that links can lead to."""

    def __init__(self, page: Path):
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if found.get("id"):
            self.places.add(found["id"])
        if tag in ("a", "link", "img", "script") and (target := found.get("href") or found.get("src")):
            self.links.append(target)


@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_page_and_a_place_in_it(site):
    built = [page for page in site.folder.rglob("*.html") if "_static" not in page.parts]
    pages = {page: Links(page) for page in built}
    assert len(pages) > 90
    lost = []
    for page, found in pages.items():
        for target in found.links:
            where, _, place = unquote(target).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            there = (page.parent / where.partition("?")[0]).resolve() if where else page
            if not there.is_file() or (place and there in pages and place not in pages[there].places):
                lost.append(f"{page.name}: {target}")
    assert not lost, "\n".join(lost)


@pytest.mark.slow
def test_every_page_can_be_reached_from_the_first_one(site):
    """By the links of tables of contents and of texts."""
    left, seen = [site.folder / "index.html"], set()
    while left:
        page = left.pop()
        if page in seen or not page.is_file():
            continue
        seen.add(page)
        targets = (unquote(target).partition("#")[0] for target in Links(page).links)
        left += [(page.parent / target).resolve() for target in targets if target.endswith(".html")]
    pages = {site.folder / page.relative_to(ROOT / "docs").with_suffix(".html") for page in DOCS}
    assert not pages - seen


def test_the_reference_of_python_names_every_public_name():
    text = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    named = " ".join(block.code for block in blocks(ROOT / "docs" / "reference" / "api.md")).split()
    missing = {*discreet.__all__} - {*named, "__version__"}
    assert missing == {"METHODS"}, "METHODS is told of in the text"
    assert "ds.METHODS" in text
    assert len(named) == len(set(named))
