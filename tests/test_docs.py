# SPDX-License-Identifier: Apache-2.0
"""The texts are true: their code runs and prints what they say, their links lead somewhere, their pages are complete.

A block marked ```python is run as it stands, one marked ```pycon as a doctest; the blocks of a page share their names
and a folder of their own. A block marked ```output holds exactly what the block before it prints.
"""

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from discreet.cli.app import app
from discreet.methods import METHODS
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


@pytest.mark.parametrize("page", [page for page in PAGES if page.exists()], ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
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
            program, *arguments = shlex.split(command)
            if program == "printf":
                subprocess.run(command, shell=True, check=True)
                continue
            assert program == "discreet"
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, f"{command}: {done.output}"


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


@pytest.mark.slow
def test_the_pages_build_without_a_warning_and_fetch_nothing(tmp_path):
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", tmp_path / "cache"]
    done = subprocess.run(
        [*command, ROOT / "docs", tmp_path / "html"], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    fetched = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^>]*>")
    for page in (tmp_path / "html").rglob("*.html"):
        assert not fetched.search(page.read_text(encoding="utf-8")), page.name
