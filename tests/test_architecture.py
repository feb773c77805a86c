# SPDX-License-Identifier: Apache-2.0
"""The folder list is the flow: a file imports only from what stands above it. And a few habits, made executable."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "discreet"

# From the top: what stands here may import only from the same line's folder or from lines above it.
FLOW = [
    "_version",
    "errors",
    "parameters",
    "randomness",
    "progress",
    "atomic",
    "opening",
    "bounded_json",
    "later",
    "kernels",
    "data",
    "tally",
    "bitmaps",
    "signs",
    "sketches",
    "components",
    "neighbours",
    "reconstruct",
    "itemsets",
    "prepare",
    "samples",
    "labels",
    "boxes",
    "plan",
    "axis",
    "losses",
    "engines",
    "learning",
    "utility",
    "linear",
    "worth",
    "search",
    "document",
    "published_tree",
    "privacy",
    "certificate",
    "recoding",
    "signature",
    "chain",
    "likeness",
    "entries",
    "older",
    "ledger",
    "checking",
    "verification",
    "release",
    "choose",
    "mechanisms",
    "methods",
    "streaming",
    "mining",
    "evaluate",
    "recipe",
    "study",
    "report",
    "demo",
    "commands",
    "cli",
    "__main__",
    "studio",
]

FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The parts of discreet that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("discreet.")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_imports_only_from_above(path):
    part = part_of(path)
    assert part in FLOW, f"{part} has no place in the flow"
    public = {"__version__"}  # `from discreet import ...` is for users
    below = {name for name in imports(path) - public if FLOW.index(name) > FLOW.index(part)}
    assert not below, f"{path.relative_to(SOURCE)} imports from below: {sorted(below)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_library_does_not_print_pickle_or_log_values(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert "print" not in called
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules.isdisjoint({"pickle", "joblib", "marshal", "shelve", "logging", "urllib.request", "requests"})


@pytest.mark.parametrize("path", [path for path in FILES if part_of(path) in ("commands", "cli")], ids=lambda p: p.stem)
def test_commands_print_in_one_place(path):
    """`say`, `emit` and `cell` of commands/options.py: what comes from outside must not steer the terminal."""
    text = path.read_text(encoding="utf-8")
    assert path.name == "options.py" or not re.search(
        r"(typer|click)\.s?echo\(|add_row\(Text\(|sys\.std(out|err)\.write", text
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_kernels_are_compiled_in_one_way(path):
    """kernels.py knows where machine code may be kept; numba's own decorators fail where there is no such place."""
    words = {node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)}
    words |= {n.attr for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Attribute)}
    assert path.name == "kernels.py" or words.isdisjoint({"njit", "jit", "vectorize", "guvectorize"})


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_states_its_licence_and_its_idea(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n") or path.name == "_version.py"
    assert ast.get_docstring(ast.parse(text)) or path.name in ("_version.py", "__init__.py")
    assert len(text.splitlines()) <= 400, "one idea per file"


def test_numpy_randomness_is_not_used_where_privacy_rests_on_it():
    """Orders and choices of a release come from discreet.randomness; NumPy's generators serve samples and studies."""
    for path in FILES:
        if part_of(path) not in ("samples", "evaluate", "randomness", "learning", "demo"):
            assert "np.random" not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_no_few_digits_are_sought_where_hashes_and_floats_may_hold_them(path):
    """A test that they are not there would fail now and then. Of messages of errors, str(...), it may be asked."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Compare(
                left=ast.Constant(value=str() | bytes() as sought), ops=[ast.NotIn()], comparators=[where]
            ):
                few = sought.isdigit() and len(sought) < 12
                assert not few or ast.unparse(where).startswith("str("), f"line {node.lineno}: seek a whole word"


def stems(folder: str) -> list[str]:
    """The files of a folder that hold a promise or a method."""
    base = "name: ClassVar[str] = " if folder == "privacy" else '    name = "'
    return [
        path.stem
        for path in sorted((SOURCE / folder).glob("*.py"))
        if path.stem not in ("base", "__init__") and base in path.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("folder", ["privacy", "methods"])
def test_every_promise_and_method_has_a_docs_page_and_a_test_file(folder):
    assert stems(folder)
    for stem in stems(folder):
        assert (ROOT / "docs" / folder / f"{stem}.md").exists(), f"docs/{folder}/{stem}.md is missing"
        assert (ROOT / "tests" / folder / f"test_{stem}.py").exists(), f"tests/{folder}/test_{stem}.py is missing"


def test_every_public_name_exists():
    import discreet

    for name in discreet.__all__:
        assert getattr(discreet, name) is not None


def test_importing_is_light():
    """`import discreet` loads no heavy library."""
    import subprocess
    import sys

    code = "import sys, discreet; print(sorted({'numpy', 'pyarrow', 'numba', 'sklearn', 'duckdb'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_project_speaks_of_itself_alone():
    """No machine paths, registry hosts or hosts at all in what is shipped."""
    hosts = re.compile(r"(/work/|/root/|/home/\w+/|pypi\.org|files\.pythonhosted|deb\.debian|registry\.npmjs)")
    for path in [
        *SOURCE.rglob("*"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("*.md"),
        *ROOT.glob("*.toml"),
        ROOT / "requirements.lock",
        ROOT / "Makefile",
    ]:
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".lock", ".html", ".css", ""):
            assert not hosts.search(path.read_text(encoding="utf-8")), path
