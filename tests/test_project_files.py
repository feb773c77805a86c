# SPDX-License-Identifier: Apache-2.0
"""The files for contributors and for those who cite are well formed, and the workflow runs what .ci/run runs."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import yaml
from typer.main import get_command

import discreet
from discreet.cli.app import app

ROOT = Path(__file__).parent.parent


def loaded(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_workflow_runs_the_script_of_the_checks_and_nothing_besides():
    workflow = loaded(".github/workflows/tests.yml")
    assert {"push", "pull_request"} <= set(workflow[True])  # YAML reads the word `on` as a truth value
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert [step["run"] for step in steps if "run" in step] == ["bash .ci/run"]
    (python,) = (step["with"]["python-version"] for step in steps if "setup-python" in step.get("uses", ""))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={python}"


def test_the_script_of_the_checks_does_not_need_the_papers_data():
    """Data are demanded only where they are found."""
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=False).returncode == 0
    demanded = text.index("require+=(data)")
    assert text.rindex("if [ -n", 0, demanded) > text.rindex("\nfi\n", 0, demanded)


def test_the_script_of_the_checks_runs_everything_and_the_quickest_first():
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    made = [line.split()[1:] for line in text.splitlines() if line.startswith("make ")]
    assert made == [["-j2", "lint", "kernels", "bare"], ["test"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}: $(READY)" in makefile for target in ("lint", "kernels", "bare", "test"))


def test_hooks_need_no_network_and_run_what_lint_runs():
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert {repo["repo"] for repo in loaded(".pre-commit-config.yaml")["repos"]} == {"local"}
    assert {hook["language"] for hook in hooks} == {"system"}
    entries = {hook["id"]: hook["entry"] for hook in hooks}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name, command in (("ruff", "ruff check"), ("ruff-format", "ruff format"), ("mypy", "mypy")):
        assert f".venv/bin/{command}" in entries[name]
        assert f"$(BIN)/{command}" in makefile


def test_the_hook_for_the_end_of_files_finds_a_missing_newline(tmp_path):
    hooks = [hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    (entry,) = (hook["entry"] for hook in hooks if hook["id"] == "end-of-file")
    (tmp_path / "good").write_text("one\n", encoding="utf-8")
    (tmp_path / "bad").write_text("one", encoding="utf-8")
    run = {name: subprocess.run([*shlex.split(entry), tmp_path / name], check=False) for name in ("good", "bad")}
    assert (run["good"].returncode, run["bad"].returncode) == (0, 1)


def test_the_citation_names_this_version_and_nobody_who_is_made_up():
    citation = loaded("CITATION.cff")
    assert {"cff-version", "title", "message", "authors", "version", "license"} <= set(citation)
    assert citation["version"] == discreet.__version__
    assert citation["authors"] == [{"name": "The discreet developers"}]


def test_security_and_contributing_give_no_addresses():
    """Whoever hosts the project has a way to report in private; a made-up address would lead nowhere."""
    for name in ("SECURITY.md", "CONTRIBUTING.md", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"[\w.]+@[\w.]+\.\w+|https?://", text), name


def test_an_installation_resolves_nothing_anew():
    """A resolver may take a newer version than the lock's where a package is named with extras, and stop at it."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    installs = [line for line in lines if " pip install " in line]
    assert installs
    assert all("--no-deps" in line for line in installs)


def test_the_container_installs_the_lock_runs_as_nobody_special_and_compiles_beforehand():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    words = [line.split()[0] for line in lines if line and line[0].isupper()]
    text = "\n".join(lines)
    assert words[0] == "FROM"
    assert "--require-hashes --no-deps --requirement requirements.lock" in text
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "USER discreet" in lines
    assert lines.index("RUN discreet cache") > lines.index("USER discreet")  # its cache is that user's
    for copied in (name for line in lines if line.startswith("COPY") for name in line.split()[1:-1]):
        assert (ROOT / copied).exists()


def test_everything_vendored_has_its_licence_beside_it_and_is_named_in_the_readme():
    """Vendored is what is in a folder of that name, and every minified script."""
    files = {path for place in ("src", "tests", "docs") for path in (ROOT / place).rglob("*.min.*")}
    files |= {path for place in ("src", "tests", "docs") for path in (ROOT / place).rglob("vendor/*")}
    own = {path for path in files if path.name == "LICENSES.txt"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(files - own) >= 5
    for path in files - own:
        licences = path.parent / "LICENSES.txt"
        assert f"({licences.relative_to(ROOT).as_posix()})" in readme
        named = rf"^  {re.escape(path.name)} +\S.* \d+\.\d+\.\d+"
        text = licences.read_text(encoding="utf-8")
        assert re.search(named, text, re.MULTILINE), f"{path.name}: which project, which version?"
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["license-files"]
    shipped = {path.parent for path in files if path.is_relative_to(ROOT / "src")}
    assert {ROOT / name for name in stated} == {ROOT / "LICENSE", *(folder / "LICENSES.txt" for folder in shipped)}


def test_every_line_about_another_tool_names_its_source():
    """A public page of the project, a page of ours, or a command that prints the figure."""
    text = (ROOT / "docs" / "understand" / "beside.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (?!tool|you want)[^-\n].*\|$", text, re.MULTILINE)
    assert len(lines) > 30
    for line in lines:
        assert re.search(r"\]\([^)]+\)|`(python -m|make) [^`]+`", line.rstrip("|").rpartition("|")[2]), line
    for tool in ("ARX", "sdcMicro", "Amnesia", "ai-privacy-toolkit", "anjana", "pycanon", "OpenDP", "SmartNoise"):
        assert tool in text
    for tool in ("diffprivlib", "SDV", "anonymeter"):
        assert tool in text


def test_commands_in_the_middle_of_a_sentence_exist_with_their_options():
    """Nothing runs them, so that a page might name a command, an option or a benchmark that is gone."""
    commands = get_command(app)
    pages = [ROOT / "README.md", *(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
    for page in pages:
        text = " ".join(re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M).split())
        for asked in re.findall(r"`discreet ([a-z][^`]*)`", text):
            command, words, where = commands, asked.split(), f"{page.name}: discreet {asked}"
            while words and words[0] in getattr(command, "commands", {}):
                command = command.commands[words.pop(0)]
            assert command is not commands, where
            known = {name for option in command.params for name in (*option.opts, *option.secondary_opts, "--help")}
            given = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]*(=.*)?", word)}
            assert given <= known, where
        for module in re.findall(r"`python -m (benchmarks(?:\.\w+)*)[^`]*`", text):
            place = ROOT / module.replace(".", "/")
            assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), f"{page.name}: {module}"
