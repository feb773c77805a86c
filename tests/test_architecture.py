# SPDX-License-Identifier: Apache-2.0
"""The folders are the flow, and a few habits made executable. Each test lists every offender."""

import ast
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.architecture.graph import FACE, Graph, flow
from benchmarks.architecture.walk import walks

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "discreet"
FAMILIES = {"containment", "trees", "noise", "breach", "sketches"}  # the rooms of methods/, one for each paper
READERS = {  # what may tell shapes apart besides data/
    "sketching.mining.ragged",  # turns a user's data into sketches
    "sketching.sketches",  # is a shape itself, which compares itself with others
}
COUNTING = ("counting", "recoding", "privacy")  # the folders that may group rows
SHARED_PARTS = {  # parts that another file of their folder builds on, as the papers do
    "learning.part": "C4.5's partial trees are the rules of PART",
    "learning.subset_scores": "one-column trees of C4.5 on shared entries",
    "methods.trees.kactus2": "kACTUS-2 walks the tree of kACTUS",
    "methods.trees.refinement": "specialization run from the other end",
}
WHOLE = {  # tests at the root of tests/ are about the whole
    *(
        "architecture",
        "contributing",
        "docs",
        "errors",
        "every_method",
        "examples",
        "golden",
        "hints",
        "hostile",
        "installation",
        "needs",
    ),
    "project_files",
    "start",
}

GRAPH = Graph(SOURCE)
MODULES = GRAPH.modules


def none_of(offenders: Iterable[str]) -> None:
    assert not set(offenders), "\n" + "\n".join(sorted(offenders))


# -- 1. The flow ------------------------------------------------------------------------------------------------------


def test_the_root_holds_the_face_of_the_package_and_the_folders_of_the_flow():
    files = {path.stem for path in SOURCE.glob("*.py")}
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert files == set(FACE)
    assert folders == set(flow()), "docs/flow.md lists the folders"


def test_a_file_imports_only_from_its_folder_and_from_folders_above_it():
    order = [*FACE, *flow()]
    place = {part: index for index, part in enumerate(order)}
    below = [
        f"{module} imports {other}"
        for module, others in GRAPH.imports.items()
        if module not in FACE and module != ""
        for other in others
        if other and place[GRAPH.part(other)] > place[GRAPH.part(module)]
    ]
    relative = [
        f"{module} imports relatively"
        for module, tree in GRAPH.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not below + relative, "\n".join(sorted(below + relative))


def test_only_what_people_ask_of_an_object_is_found_in_a_later_folder():
    """A display, a report or a plot (foundation/displayed.py): nothing that is computed with."""
    calls = {
        (module, ast.literal_eval(node.args[0]))
        for module, tree in GRAPH.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "later"
    }
    assert {where.split(".")[0] for _, where in calls} == {"report"}
    none_of({module for module, _ in calls} - {"foundation.displayed", "release.release", "study.run"})


# -- 2. Families and parts --------------------------------------------------------------------------------------------


def family_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "methods" and len(parts) > 1 and parts[1] in FAMILIES else None


def test_no_family_of_methods_imports_another():
    assert {path.parent.name for path in (SOURCE / "methods").glob("*/__init__.py")} == FAMILIES
    crossing = [
        f"{module} imports {other}"
        for module, others in GRAPH.imports.items()
        for other in others
        if family_of(module) and family_of(other) and family_of(module) != family_of(other)
    ]
    assert not crossing, "\n".join(sorted(crossing))


def owner_of(module: str) -> str | None:
    """The module whose part this one is: mondrian for mondrian_parts, in the same folder."""
    folder, _, stem = module.rpartition(".")
    words = stem.split("_")
    owners = [".".join(filter(None, [folder, "_".join(words[:n])])) for n in range(len(words) - 1, 0, -1)]
    return next((owner for owner in owners if owner in MODULES and not GRAPH.is_face(owner)), None)


def test_a_part_is_imported_by_the_files_of_its_owner_only():
    strangers = {
        f"{module}->{other}"
        for module, others in GRAPH.imports.items()
        for other in others
        if (owner := owner_of(other)) and module != owner and not module.startswith(f"{owner}_")
        if module not in SHARED_PARTS and not (GRAPH.is_face(module) and GRAPH.part(module) == GRAPH.part(other))
    }
    none_of(strangers)


# -- 3. What a package shows ------------------------------------------------------------------------------------------


def test_outside_methods_only_what_the_package_exports():
    from discreet import methods

    exported = {*methods.__all__, "*"}  # a star takes what __all__ names
    inside = {
        f"{module}->{other}.{name}"
        for module, pairs in GRAPH.imported_names.items()
        for other, name in pairs
        if GRAPH.part(module) != "methods" and GRAPH.part(other) == "methods"
        if other != "methods" or name not in exported
    }
    none_of(inside)


def test_no_private_name_is_imported_across_modules():
    private = {
        f"{module}->{other}.{name}"
        for module, pairs in GRAPH.imported_names.items()
        for other, name in pairs
        if re.match(r"_[^_]", name) or re.match(r"_[^_]", other.rpartition(".")[2])
        if other != "_version"
    }
    none_of(private)


# -- 4. Shapes and groups ---------------------------------------------------------------------------------------------


def test_shapes_are_told_apart_in_data_and_its_readers_only():
    checks = GRAPH.shape_checks()
    none_of({module for module in checks if GRAPH.part(module) != "data" and module not in READERS})
    assert set(checks) >= READERS, "a reader that tells no shapes apart needs no entry"


def test_rows_are_grouped_in_counting_recoding_and_privacy_only():
    grouping = {
        module
        for module, pairs in GRAPH.imported_names.items()
        for other, name in pairs
        if GRAPH.part(other) == "counting" and name == "group" and GRAPH.part(module) not in COUNTING
    }
    none_of(grouping)


# -- 5. Names ---------------------------------------------------------------------------------------------------------


def test_no_public_class_name_twice():
    none_of({name for name, modules in GRAPH.public_classes().items() if len(modules) > 1})


def test_no_file_name_twice():
    """But for a command, which is named after what it runs."""
    places = defaultdict(list)
    for module, path in MODULES.items():
        if path.stem not in ("__init__", "__main__", "base") and GRAPH.part(module) != "cli":
            places[path.stem].append(module)
    none_of({stem for stem, modules in places.items() if len(modules) > 1})


# -- 6. and 7. What is loaded -----------------------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_package_is_an_attribute_and_loads_when_it_is_used():
    heavy = {"numpy", "pyarrow", "numba", "sklearn", "duckdb", "pandas", "scipy", "pydantic"}
    assert not loaded_by("import discreet") & heavy
    assert not loaded_by("import discreet; dir(discreet)") & heavy
    names = flow()
    code = "import discreet\n" + "\n".join(f"discreet.{name}" for name in names)
    assert {f"discreet.{name}" for name in names} <= loaded_by(code)


def test_every_public_name_exists():
    import discreet

    missing = [name for name in discreet.__all__ if getattr(discreet, name, None) is None]
    assert not missing, "\n".join(missing)


def test_verifying_loads_no_learning_and_no_kernel():
    """A release of a table with k-anonymity, made here and verified in a process of its own."""
    from discreet import Mondrian, Roles

    table = {"age": [31, 33, 45, 47], "ill": ["flu", "flu", "flu", "gout"]}
    with tempfile.TemporaryDirectory() as folder:
        Mondrian(k=2, random_state=1).release(table, Roles(target="ill", quasi=["age"])).save(f"{folder}/out")
        names = loaded_by(f"import discreet\nassert discreet.verify({folder + '/out/release'!r}).holds")
    none_of({name for name in names if name.startswith("discreet.learning") or name in ("numba", "sklearn")})


def test_one_release_codes_and_groups_its_columns_once():
    """A Mondrian release of nine columns, saved: at most twelve calls each."""
    walk = walks(SOURCE).release
    none_of({f"{name}={n}" for name, n in (("encode", walk.encode), ("group", walk.group)) if n > 12})


# -- 8. Habits --------------------------------------------------------------------------------------------------------


def test_the_library_does_not_print_pickle_or_log_values():
    forbidden = {"pickle", "joblib", "marshal", "shelve", "logging", "urllib.request", "requests"}
    offenders = []
    for module, tree in GRAPH.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                offenders.append(f"{module} prints")
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            offenders += [f"{module} imports {name}" for name in names if name in forbidden]
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
    for module, tree in GRAPH.trees.items():
        nodes = list(ast.walk(tree))
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        if module != "foundation.compiled_kernels" and words & {"njit", "jit", "vectorize", "guvectorize"}:
            offenders.append(module)
    assert not offenders, "\n".join(offenders)


UNIX_MODULES = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
UNIX_OF_OS = {
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "chmod", "chown", "fchmod", "fchown", "fork"),
    *(
        "getegid",
        "geteuid",
        "getgid",
        "getloadavg",
        "getlogin",
        "getpgid",
        "getuid",
        "kill",
        "killpg",
        "lchown",
        "link",
    ),
    *("mkfifo", "mknod", "nice", "open", "pread", "pwrite", "sched_getaffinity", "setsid", "setuid", "statvfs"),
    *("symlink", "sysconf", "umask", "uname", "wait", "waitpid"),
}  # some exist everywhere and mean something else elsewhere: os.kill(process, 0) is Ctrl-C on Windows
SIGNALS = {"SIGINT", "SIGTERM", "SIG_DFL", "SIG_IGN", "signal"}  # which every system has
UNIX_ANYWHERE = {"chmod", "hardlink_to", "st_gid", "st_uid", "symlink_to", "S_IMODE"}
UNIX_ARGUMENTS = {"dir_fd", "preexec_fn", "process_group", "start_new_session"}
UNIX_PATHS = re.compile(r"/(tmp|proc|sys|dev|etc|usr|var|home)(/|$)")


def of_one_system(node: ast.AST) -> str:
    """What a piece of code uses that not every operating system has; nothing, for most pieces."""
    match node:
        case ast.Import(names=names):
            return " ".join(alias.name for alias in names if alias.name in UNIX_MODULES)
        case ast.ImportFrom(module=module, names=names) if module in UNIX_MODULES:
            return str(module)
        case ast.ImportFrom(module="os" | "signal" as module, names=names):
            known = UNIX_OF_OS if module == "os" else {alias.name for alias in names} - SIGNALS
            return " ".join(alias.name for alias in names if alias.name in known)
        case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in UNIX_OF_OS:
            return f"os.{name}"
        case ast.Attribute(value=ast.Name(id="signal"), attr=name) if name not in SIGNALS:
            return f"signal.{name}"
        case ast.Attribute(attr=name) if name in UNIX_ANYWHERE:
            return name
        case ast.keyword(arg=name) if name in UNIX_ARGUMENTS:
            return str(name)
        case ast.Constant(value=str() as text) if UNIX_PATHS.match(text):
            return text
    return ""


def test_one_file_knows_what_operating_systems_do_differently():
    own = [of_one_system(node) for node in ast.walk(GRAPH.trees["foundation.system"])]
    assert {"os.open", "os.link", "os.geteuid", "os.chmod", "signal.pthread_sigmask", "/proc/meminfo"} <= set(own)
    none_of(
        f"{module}, line {node.lineno}: {what}"
        for module, tree in GRAPH.trees.items()
        if module != "foundation.system"
        for node in ast.walk(tree)
        if (what := of_one_system(node))
    )


def text_file(call: ast.Call) -> str:
    """What an opened text file lacks: its encoding, or the ends of its lines, which systems would choose themselves."""
    name = ast.unparse(call.func).rpartition(".")[2]
    given = {word.arg for word in call.keywords}
    mode = next((word.value for word in call.keywords if word.arg == "mode"), None)
    if name == "open":
        place = 1 if isinstance(call.func, ast.Name) else 0
        mode = call.args[place] if len(call.args) > place else mode
        if not isinstance(call.func, ast.Name) and call.args and not isinstance(mode, ast.Constant):
            return ""  # os.open, tarfile.open and others, which open no text
    elif name not in ("read_text", "write_text") or isinstance(call.func, ast.Name):
        return ""
    how = mode.value if isinstance(mode, ast.Constant) else "w" if name == "write_text" else "r"
    if not isinstance(how, str) or not set(how) <= set("rwaxbt+") or "b" in how:
        return ""
    lacks = {"encoding"} - given
    return " ".join(lacks | ({"newline"} - given if set(how) & set("wax") else set()))


def test_text_files_are_the_same_on_every_system():
    seen = [ast.parse(code, mode="eval").body for code in ("p.open('w')", "p.read_text()", "open(p)", "p.open('rb')")]
    assert [bool(text_file(call)) for call in seen] == [True, True, True, False]
    none_of(
        f"{module}, line {node.lineno}: no {lacks}"
        for module, tree in GRAPH.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (lacks := text_file(node))
    )


def is_kernel(node: ast.FunctionDef) -> bool:
    names = [ast.unparse(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
    return bool({"compiled", "intrinsic"} & set(names))


def test_every_function_but_kernels_has_hints():
    """Of all arguments and of what it returns: mypy is strict about them."""
    offenders = []
    for module, tree in GRAPH.trees.items():
        kernels = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and is_kernel(n)]
        within = {inner for kernel in kernels for inner in ast.walk(kernel)}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node not in within:
                args = node.args
                named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
                bare = [arg.arg for arg in named if arg is not None and arg.annotation is None]
                if set(bare) - {"self", "cls"} or (node.returns is None and node.name != "__init__"):
                    offenders.append(f"{module}.{node.name}")
    assert not offenders, "\n".join(offenders)


def test_every_file_states_its_licence_and_its_one_idea():
    offenders = []
    for module, path in MODULES.items():
        text = path.read_text(encoding="utf-8")
        if path.name == "_version.py":
            continue
        if not text.startswith("# SPDX-License-Identifier: Apache-2.0\n"):
            offenders.append(f"{module} states no licence")
        if not ast.get_docstring(GRAPH.trees[module]):
            offenders.append(f"{module} states no idea")
        if len(text.splitlines()) > 400:
            offenders.append(f"{module} is longer than 400 lines")
    assert not offenders, "\n".join(offenders)


def test_numpy_randomness_is_not_used_where_privacy_rests_on_it():
    """Orders and choices of a release come from foundation/randomness; NumPy's generators serve samples and studies."""
    allowed = ("samples", "evaluate", "attacks", "learning", "foundation")
    offenders = [
        module
        for module, path in MODULES.items()
        if GRAPH.part(module) not in allowed and "np.random" in path.read_text(encoding="utf-8")
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


def stating(folder: str, mark: str) -> list[str]:
    """The modules of a folder that hold a promise or a method: those whose source has the mark."""
    return [
        module
        for module, path in MODULES.items()
        if GRAPH.part(module) == folder and mark in path.read_text(encoding="utf-8")
        if path.stem not in ("base", "promise", "__init__")
    ]


def test_every_promise_method_and_attack_has_a_docs_page_and_a_test_file():
    """Of attacks, the simple ones share the page docs/attacks.md."""
    from discreet.attacks import ATTACKS

    missing = []
    for folder, mark in (("privacy", "name: ClassVar[str] = "), ("methods", '    name = "')):
        assert stating(folder, mark)
        for module in stating(folder, mark):
            stem = module.split(".")[-1]
            wanted = [ROOT / "docs" / folder / f"{stem}.md"]
            wanted.append(ROOT / "tests" / Path(*module.split(".")[:-1]) / f"test_{stem}.py")
            missing += [str(path.relative_to(ROOT)) for path in wanted if not path.exists()]
    pages = [ROOT / "docs" / "attacks.md", *(ROOT / "docs" / "attacks").glob("*.md")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    for attack in ATTACKS.values():
        stem = attack.where.partition(":")[0]
        missing += [] if f"`{attack.name}`" in text else [f"a page of docs/attacks that names `{attack.name}`"]
        missing += (
            [] if (ROOT / "tests" / "attacks" / f"test_{stem}.py").exists() else [f"tests/attacks/test_{stem}.py"]
        )
    assert not missing, "\n".join(missing)


def test_tests_mirror_the_folders_of_the_source():
    """A test file lies in the folder of what it tests and carries its name; those at the root are about the whole."""
    tests = ROOT / "tests"
    assert {path.stem.removeprefix("test_") for path in tests.glob("test_*.py")} <= WHOLE
    strangers = []
    for path in tests.rglob("test_*.py"):
        folder, stem = path.parent.relative_to(tests), path.stem.removeprefix("test_")
        if folder in (Path("."), Path("browser"), Path("benchmarks")):
            continue
        words = stem.split("_")
        names = ["_".join(words[:n]) for n in range(1, len(words) + 1)]
        tested = any((SOURCE / folder / f"{name}.py").exists() or (SOURCE / folder / name).is_dir() for name in names)
        if not tested and stem != folder.name:
            strangers.append(str(path.relative_to(tests)))
    none_of(strangers)


def test_the_project_speaks_of_itself_alone():
    """No machine paths and no registry hosts in what is shipped, and no document that is not in the tree."""
    strange = re.compile(
        r"(/work/|/root/|/home/\w+/|pypi\.org|files\.pythonhosted|deb\.debian|registry\.npmjs"
        r"|\b(?:SPEC|DESIGN|STYLE|SCALE|HOUSE)\.md)"
    )
    kinds = (".py", ".md", ".toml", ".lock", ".html", ".css", ".cff", ".yaml", ".yml", "")
    folders = [SOURCE, *(ROOT / name for name in ("docs", "benchmarks", "examples", ".github", ".ci"))]
    shipped = [
        *ROOT.glob("[!.]*"),
        *ROOT.glob(".pre-commit*"),
        *(path for folder in folders for path in folder.rglob("*")),
    ]
    offenders = {
        str(path.relative_to(ROOT))
        for path in shipped
        if path.is_file() and path.suffix in kinds and {"_build", "venv"}.isdisjoint(path.parts)
        if strange.search(path.read_text(encoding="utf-8", errors="replace"))
    }
    none_of(offenders)
