# SPDX-License-Identifier: Apache-2.0
"""The texts are true: their code runs and prints what they say, their links lead somewhere, their pages are complete.

A block marked ```python is run as it stands, one marked ```pycon as a doctest; the blocks of a page share their names
and a folder of their own. A block marked ```output holds exactly what the block before it prints. On the pages for
newcomers the commands of ```console are run, too; on others, whose files are somebody's, their options must exist.
"""

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import discreet
from built_site import built_site
from discreet.cli.app import app
from discreet.methods import METHODS, parameters_of
from discreet.privacy import PROMISES, Both
from discreet.release.certificate import Certificate

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *DOCS]
FENCED = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


class Block(NamedTuple):
    language: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[2].strip(), m[3], text.count("\n", 0, m.start()) + 1) for m in FENCED.finditer(text)]


def prose(page: Path) -> str:
    """The text of a page outside its code blocks, in one line."""
    return " ".join(FENCED.sub("", page.read_text(encoding="utf-8")).split())


def headings(page: Path) -> list[str]:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [line.removeprefix("## ").strip() for line in text.splitlines() if line.startswith("## ")]


# -- code --------------------------------------------------------------------------------------------------------------


def run(block: Block, names: dict, where: str) -> str:
    """What the block prints; a doctest that fails, or any exception, is a failure here."""
    printed = io.StringIO()
    if block.language == "pycon" or block.code.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.code, names, where, where, block.line)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=printed.write, clear_globs=False)
        names.update(test.globs)
        assert not runner.summarize(verbose=False).failed, printed.getvalue()
        return ""
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, where, "exec"), names)
    return printed.getvalue()


def ran(command: str) -> None:
    """Run a command of a page."""
    program, *arguments = shlex.split(command)
    if program == "printf":
        subprocess.run(command, shell=True, check=True)
        return
    assert program == "discreet", command
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, f"{command}: {done.output}"


def commands_of(block: Block) -> list[str]:
    return re.findall(r"^\$ (.+)$", block.code.replace("\\\n", ""), re.MULTILINE)


def is_for_newcomers(page: Path) -> bool:
    return page.parent.name in ("start", "how-to", "reference") or page == ROOT / "docs" / "index.md"


@pytest.mark.parametrize("page", [page for page in PAGES if page.exists()], ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch, patient):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}
    printed = None
    for block in blocks(page):
        where = f"{name_of(page)}:{block.line}"
        if block.language in ("python", "pycon"):
            printed = run(block, names, where)
        elif block.language == "output":
            assert printed is not None, f"{where}: an output without a block of code before it"
            assert printed == block.code, f"{where}: the code prints something else"
            printed = None
        else:
            printed = None
            if block.language == "console" and is_for_newcomers(page):
                for command in commands_of(block):
                    ran(command)


def test_the_commands_of_all_pages_have_options_that_exist():
    """Those that a test does not run: their files are somebody's."""
    root = get_command(app)
    wrong = []
    for page in PAGES:
        for block in blocks(page):
            for command in commands_of(block) if block.language == "console" else []:
                words = shlex.split(command.replace("...", "x"), comments=True)
                if words[:1] != ["discreet"] or is_for_newcomers(page):
                    continue
                try:
                    found, rest = root, words[1:]
                    while hasattr(found, "commands") and rest and rest[0] in found.commands:
                        found, rest = found.commands[rest[0]], rest[1:]
                    found.make_parser(found.context_class(found)).parse_args(rest)
                except Exception as error:
                    wrong.append(f"{name_of(page)}, line {block.line}: {command}: {error}")
    assert not wrong, "\n".join(wrong)


def test_there_is_code_to_run():
    kinds = [block.language for page in PAGES if page.exists() for block in blocks(page)]
    assert kinds.count("python") >= 10
    assert kinds.count("output") >= 10


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


def test_the_commands_of_the_readme_run_one_after_the_other(tmp_path, monkeypatch, patient):
    """Those of each reader, in one folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == READERS
    monkeypatch.chdir(tmp_path)
    for reader in READERS:
        section = text.partition(f"### {reader}\n")[2].partition("\n#")[0]
        asked = re.findall(r"^\$ (.+)$", "".join(match[3] for match in FENCED.finditer(section)), re.MULTILINE)
        assert 3 <= len(asked) <= 5
        for command in asked:
            ran(command)


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
