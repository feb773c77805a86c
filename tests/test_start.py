# SPDX-License-Identifier: Apache-2.0
"""What starting costs: what is loaded by an import or a command, and that kernels are compiled beforehand."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = ("sklearn", "pandas", "scipy", "duckdb", "numba", "joblib", "narwhals", "matplotlib", "typer")


def in_a_process(code: str, **environment: str) -> object:
    """The last line that a new interpreter prints, read as JSON."""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_loading_all_methods_loads_no_heavy_library():
    loaded = in_a_process(
        "import json, sys\n"
        "from discreet.methods import METHODS\n"
        "classes = [METHODS[name] for name in METHODS]\n"
        "made = [cls.__name__ for cls in classes]\n"
        "print(json.dumps([len(made), sorted({name.split('.')[0] for name in sys.modules})]))"
    )
    assert loaded[0] >= 20
    assert not set(HEAVY) & set(loaded[1])


def test_a_release_of_a_table_loads_neither_scikit_learn_nor_scipys_statistics():
    loaded = in_a_process(
        "import json, sys\n"
        "import discreet as ds\n"
        "rows = {'age': [31, 34, 52, 55], 'sex': ['f', 'f', 'm', 'm'], 'y': ['n', 'y', 'n', 'y']}\n"
        "release = ds.Mondrian(k=2).release(rows, ds.Roles('y', ['age', 'sex']))\n"
        "assert release.verdict.holds\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not [name for name in loaded if name.split(".")[0] == "sklearn" or name.startswith("scipy.stats")]


UNNEEDED = {  # by a release: other commands, what NumPy has for Fortran, keys of signatures, YAML
    *("discreet.cli.attack", "discreet.cli.studio", "discreet.choose", "numpy.f2py.crackfortran", "yaml.loader"),
    *("cryptography.hazmat.primitives.serialization", "sklearn", "pandas", "joblib", "duckdb"),
}


def test_a_released_table_of_the_command_line_loads_only_what_it_needs(tmp_path):
    file = tmp_path / "people.csv"
    rows = "".join(f"{20 + i % 40},{'f' if i % 3 else 'm'},{'y' if i % 40 > 15 else 'n'}\n" for i in range(200))
    file.write_text("age,sex,again\n" + rows)
    loaded = in_a_process(
        "import json, sys\n"
        "from discreet.cli import main\n"
        f"sys.argv = ['discreet', 'release', {str(file)!r}, '--target', 'again', '--quasi', 'age,sex', '--method',"
        f" 'mondrian', '--k', '5', '--quiet', '-o', {str(tmp_path / 'out')!r}]\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code, ended.code\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert (tmp_path / "out" / "release" / "certificate.json").exists()
    assert (tmp_path / "out" / "owner" / "report.html").exists()
    assert not UNNEEDED & set(loaded)


def test_a_command_through_duckdb_ends_without_a_word_about_leaks(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,sex,again\n" + "".join(f"{20 + i % 4},{'fm'[i % 2]},{'yn'[i % 3 % 2]}\n" for i in range(80)))
    command = f"release {file} --engine duckdb --target again --quasi age,sex --method mondrian --k 5 -q"
    code = "import sys; from discreet.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, *command.split(), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""


@pytest.mark.parametrize("command", [["--help"], ["verify", "--help"], ["release", "--help"]])
def test_help_loads_no_library_for_data(command):
    loaded = in_a_process(
        "import json, sys\n"
        "from discreet.cli import main\n"
        f"sys.argv = ['discreet', *{command!r}]\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code\n"
        "print()\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    assert not ({*HEAVY, "numpy", "pyarrow"} - {"typer"}) & set(loaded)


@pytest.mark.parametrize(("command", "status"), [(["methods"], 0), (["verify", "nowhere"], 2), (["--no-such"], 2)])
def test_a_command_ends_with_its_status_and_says_all_before(command, status):
    run = subprocess.run([sys.executable, "-m", "discreet", *command], capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stderr
    assert bool(run.stdout) == (status == 0)
    assert bool(run.stderr) == (status != 0)


def test_an_error_after_a_command_is_not_lost():
    code = (
        "import sys\n"
        "from discreet.cli import main\n"
        "sys.argv = ['discreet', '--version']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    raise ValueError('later') from None\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, "ValueError: later" in run.stderr) == (1, True)


_COVERED = """
import json, warnings
from discreet.cli.cache_kernels import compile_kernels
from discreet.foundation.compiled_kernels import KERNELS
from instances import INSTANCES, PERSON_ROLES, ROLES, baskets, people
warnings.simplefilter("ignore")
def used():
    return {
        (kernel.__module__, kernel.__name__, str(signature))
        for kernel in KERNELS
        if kernel._dispatcher is not None
        for signature in kernel.dispatcher.signatures
    }
made = compile_kernels()
before, failed = used(), []
for name, instance in INSTANCES.items():
    method = instance.make(5)
    shapes = method.takes if method.gives else instance.shapes
    works = [(people(), ROLES), (people(), PERSON_ROLES)] if "table" in shapes else []
    if "baskets" in shapes:
        works.append(baskets())
    for data in works:
        try:
            method.release(*data)
        except Exception as error:
            failed.append([name, type(error).__name__])
print(json.dumps({"made": made, "before": len(before), "new": sorted(used() - before), "failed": failed}))
"""


REFUSED = [  # of tables without a public domain, of persons with several rows, of a reference for other columns
    ["exponential-select", "CannotRelease"],
    ["exponential-select", "CannotRelease"],
    ["laplace-select", "CannotRelease"],
    ["laplace-select", "CannotRelease"],
    ["private-fwell-blocks", "CannotRelease"],
    ["private-fwell-reference", "ParameterError"],
    ["private-fwell-reference", "CannotRelease"],
]


def test_after_the_kernels_were_compiled_beforehand_no_method_compiles_anything():
    """`discreet cache` calls `compile_kernels`; every instance of the laws is then used on other rows."""
    found = in_a_process(_COVERED, PYTHONPATH=os.pathsep.join([os.path.dirname(__file__), *sys.path]))
    assert found["made"] > 60
    assert found["new"] == []
    assert found["failed"] == REFUSED


def test_the_package_lists_its_public_names_and_nothing_else():
    """What completion in a notebook offers after `ds.`: names to use, and none of what the package itself imports."""
    listed, plain, loaded = in_a_process(
        "import json, sys\n"
        "import discreet\n"
        "plain = [name for name in vars(discreet) if not name.startswith('_')]\n"
        "listed = dir(discreet)\n"
        "print(json.dumps([listed, plain, sorted(sys.modules)]))"
    )
    assert {"samples", "study", "Table", "Roles", "Mondrian", "Recoder", "evaluate_utility", "verify"} <= set(listed)
    assert {"importlib", "typing", "TYPE_CHECKING", "Any", "annotations"}.isdisjoint({*listed, *plain})
    assert [name for name in listed if name.startswith("_")] == ["__version__"]
    assert not {"numpy", "pyarrow", "IPython"} & set(loaded)
