# SPDX-License-Identifier: Apache-2.0
"""The folders are the flow, and a few habits made executable. Each test lists every offender."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "discreet"
FACE = {"__init__", "__main__", "_version", "errors"}  # all that may lie at the root of the package
FAMILIES = {"containment", "trees", "noise", "breach", "sketches"}  # the rooms of methods/, one for each paper

FILES = sorted(SOURCE.rglob("*.py"))
MODULES = {".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}


def flow() -> list[str]:
    """The folders in the order of the flow, as docs/flow.md lists them."""
    text = (ROOT / "docs" / "flow.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[tuple[str, str]]:
    """What a module imports of discreet, anywhere in it: (module, name), the name empty for a module as a whole."""
    found = set()
    for node in ast.walk(tree_of(MODULES[module])):
        if isinstance(node, ast.Import):
            found |= {(alias.name.removeprefix("discreet."), "") for alias in node.names if "discreet." in alias.name}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            if (node.module or "").startswith("discreet."):
                base = (node.module or "").removeprefix("discreet.")
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    found.add((whole, "") if whole in MODULES else (base, alias.name))
    return frozenset(found)


def part_of(module: str) -> str:
    return module.split(".")[0]


def test_the_root_holds_the_face_of_the_package_and_the_folders_of_the_flow():
    files = {path.stem for path in SOURCE.glob("*.py")}
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert files == FACE
    assert folders == set(flow()), "docs/flow.md lists the folders"


def test_a_file_imports_only_from_its_folder_and_from_folders_above_it():
    order = [*FACE, *flow()]
    below = [
        f"{module} imports {other}"
        for module in MODULES
        if module not in FACE and module != ""
        for other, _ in imports(module)
        if order.index(part_of(other)) > order.index(part_of(module))
    ]
    assert not below, "\n".join(sorted(below))


def test_no_family_of_methods_imports_another():
    crossing = [
        f"{module} imports {other}"
        for module in MODULES
        for other, _ in imports(module)
        if module.startswith("methods.") and other.startswith("methods.")
        if module.split(".")[1] in FAMILIES and other.split(".")[1] in FAMILIES
        if module.split(".")[1] != other.split(".")[1]
    ]
    assert not crossing, "\n".join(crossing)


def owner_of(module: str) -> str | None:
    """The module whose part this one is: mondrian for mondrian_partition, in the same folder."""
    folder, _, stem = module.rpartition(".")
    words = stem.split("_")
    owners = [".".join(filter(None, [folder, "_".join(words[:n])])) for n in range(len(words) - 1, 0, -1)]
    return next((owner for owner in owners if owner in MODULES and MODULES[owner].stem != "__init__"), None)


def test_a_part_is_imported_in_the_folder_of_its_owner_only():
    strangers = [
        f"{module} imports {other}, which is a part of {owner_of(other)}"
        for module in MODULES
        for other, _ in imports(module)
        if owner_of(other) is not None and module.rpartition(".")[0] != other.rpartition(".")[0]
        if part_of(other) in ("methods", "learning", "recoding")
    ]
    assert not strangers, "\n".join(sorted(strangers))


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_package_is_an_attribute_and_loads_when_it_is_used():
    heavy = {"numpy", "pyarrow", "numba", "sklearn", "duckdb", "pandas", "scipy", "pydantic"}
    assert not loaded_by("import discreet") & heavy
    assert not loaded_by("import discreet; dir(discreet)") & heavy
    names = [name for name in flow() if name != "cli"]
    code = "import discreet\n" + "\n".join(f"discreet.{name}" for name in names)
    assert {f"discreet.{name}" for name in names} <= loaded_by(code)


def test_every_public_name_exists():
    import discreet

    missing = [name for name in discreet.__all__ if getattr(discreet, name, None) is None]
    assert not missing, "\n".join(missing)


def test_the_library_does_not_print_pickle_or_log_values():
    offenders = []
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                offenders.append(f"{path.name} prints")
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            forbidden = {"pickle", "joblib", "marshal", "shelve", "logging", "urllib.request", "requests"}
            offenders += [f"{path.name} imports {name}" for name in names if name in forbidden]
    assert not offenders, "\n".join(offenders)


def test_commands_print_in_one_place():
    """`say`, `emit` and `cell` of cli/options.py: what comes from outside must not steer the terminal."""
    printing = re.compile(r"(typer|click)\.s?echo\(|add_row\(Text\(|sys\.std(out|err)\.write")
    commands = [path for path in (SOURCE / "cli").glob("*.py") if path.name != "options.py"]
    offenders = [path.name for path in commands if printing.search(path.read_text(encoding="utf-8"))]
    assert not offenders, "\n".join(offenders)


def test_kernels_are_compiled_in_one_way():
    """compiled_kernels.py knows where machine code may be kept; numba's decorators fail where there is none."""
    offenders = []
    for path in FILES:
        nodes = list(ast.walk(tree_of(path)))
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        if path.name != "compiled_kernels.py" and words & {"njit", "jit", "vectorize", "guvectorize"}:
            offenders.append(path.name)
    assert not offenders, "\n".join(offenders)


def is_kernel(node: ast.FunctionDef) -> bool:
    names = [ast.unparse(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
    return bool({"compiled", "intrinsic"} & set(names))


def test_every_function_but_kernels_has_hints():
    """Of all arguments and of what it returns: mypy is strict about them."""
    offenders = []
    for module, path in MODULES.items():
        kernels = [n for n in ast.walk(tree_of(path)) if isinstance(n, ast.FunctionDef) and is_kernel(n)]
        within = {inner for kernel in kernels for inner in ast.walk(kernel)}
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node not in within:
                args = node.args
                named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
                bare = [arg.arg for arg in named if arg is not None and arg.annotation is None]
                if set(bare) - {"self", "cls"} or (node.returns is None and node.name != "__init__"):
                    offenders.append(f"{module}.{node.name}")
    assert not offenders, "\n".join(offenders)


def test_every_file_states_its_licence_and_its_one_idea():
    offenders = []
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if path.name == "_version.py":
            continue
        if not text.startswith("# SPDX-License-Identifier: Apache-2.0\n"):
            offenders.append(f"{path.relative_to(SOURCE)} states no licence")
        if not ast.get_docstring(tree_of(path)):
            offenders.append(f"{path.relative_to(SOURCE)} states no idea")
        if len(text.splitlines()) > 400:
            offenders.append(f"{path.relative_to(SOURCE)} is longer than 400 lines")
    assert not offenders, "\n".join(offenders)


def test_numpy_randomness_is_not_used_where_privacy_rests_on_it():
    """Orders and choices of a release come from foundation/randomness; NumPy's generators serve samples and studies."""
    allowed = ("samples", "evaluate", "attacks", "learning", "foundation")
    offenders = [
        module
        for module, path in MODULES.items()
        if part_of(module) not in allowed and "np.random" in path.read_text(encoding="utf-8")
        if module != "cli.demo_walk"
    ]
    assert not offenders, "\n".join(offenders)


def test_no_few_digits_are_sought_where_hashes_and_floats_may_hold_them():
    """A test that they are not there would fail now and then. Of messages of errors, str(...), it may be asked."""
    offenders = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Compare(
                    left=ast.Constant(value=str() | bytes() as sought), ops=[ast.NotIn()], comparators=[where]
                ) if sought.isdigit() and len(sought) < 12 and not ast.unparse(where).startswith("str("):
                    offenders.append(f"{path.name}, line {node.lineno}: seek a whole word")
    assert not offenders, "\n".join(offenders)


def stated(folder: str, mark: str) -> list[str]:
    """The modules of a folder that hold a promise, a method or an attack: those whose source has the mark."""
    return [
        module
        for module, path in MODULES.items()
        if part_of(module) == folder and mark in path.read_text(encoding="utf-8")
        if path.stem not in ("base", "promise", "registry", "__init__")
    ]


def test_every_promise_and_method_has_a_docs_page_and_a_test_file():
    missing = []
    for folder, mark in (("privacy", "name: ClassVar[str] = "), ("methods", '    name = "')):
        assert stated(folder, mark)
        for module in stated(folder, mark):
            stem = module.split(".")[-1]
            wanted = [ROOT / "docs" / folder / f"{stem}.md"]
            wanted.append(ROOT / "tests" / Path(*module.split(".")[:-1]) / f"test_{stem}.py")
            missing += [str(path.relative_to(ROOT)) for path in wanted if not path.exists()]
    assert not missing, "\n".join(missing)


def test_tests_mirror_the_folders_of_the_source():
    """A test file lies in the folder of what it tests; those at the root are about the whole."""
    whole = {"architecture", "docs", "examples", "errors", "every_method", "golden", "hostile", "needs"}
    loose = {path.stem.removeprefix("test_") for path in (ROOT / "tests").glob("test_*.py")} - whole
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    apart = {Path("."), Path("browser"), Path("benchmarks"), Path("bare"), Path("hostile")}
    strange = [str(folder) for folder in folders - apart if not (SOURCE / folder).is_dir()]
    assert not loose, "\n".join(sorted(loose))
    assert not strange, "\n".join(sorted(strange))


def test_the_project_speaks_of_itself_alone():
    """No machine paths, registry hosts or hosts at all in what is shipped."""
    hosts = re.compile(r"(/work/|/root/|/home/\w+/|pypi\.org|files\.pythonhosted|deb\.debian|registry\.npmjs)")
    shipped = [*SOURCE.rglob("*"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("*.toml")]
    shipped += [ROOT / "requirements.lock", ROOT / "Makefile"]
    offenders = [
        str(path)
        for path in shipped
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".lock", ".html", ".css", "")
        if hosts.search(path.read_text(encoding="utf-8"))
    ]
    assert not offenders, "\n".join(offenders)
