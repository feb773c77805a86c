# SPDX-License-Identifier: Apache-2.0
"""What is handed to those who install discreet: the wheel, the source from which it is built, and the extras.

tests/bare.py installs the wheel in a clean environment and runs commands from there.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import discreet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def built(source: Path, place: Path, *kinds: str) -> Path:
    """The only file that is built of these kinds."""
    chosen = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", *chosen, "-d", str(place)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = place.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


def contents(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    source = ROOT / "src"
    files = [path for path in (source / "discreet").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    expected = {path.relative_to(source).as_posix() for path in files}
    found = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert found == expected
    assert {
        "discreet/py.typed",
        "discreet/report/templates/report.html",
        "discreet/report/templates/report.css",
        "discreet/report/vendor/vega.min.js",
        "discreet/report/vendor/LICENSES.txt",
    } <= found


def test_the_wheel_says_what_it_is_and_under_which_licences(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (place,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        about = Parser().parsestr(archive.read(place).decode())
        folder = place.removesuffix("METADATA")
        licences = [name for name in archive.namelist() if name.startswith(f"{folder}licenses/")]
        assert "discreet = discreet.cli:main" in archive.read(f"{folder}entry_points.txt").decode()
    assert about["Version"] == discreet.__version__
    assert about["Requires-Python"] == PROJECT["requires-python"]
    assert about["License-Expression"] == PROJECT["license"]
    assert set(about.get_all("Provides-Extra")) == set(EXTRAS)
    assert {Path(name).name for name in licences} == {"LICENSE", "LICENSES.txt"}
    assert "# discreet" in about.get_payload()


def test_the_source_archive_builds_the_same_wheel(wheel, tmp_path):
    archive = built(ROOT, tmp_path / "sdist", "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    assert contents(built(source, tmp_path / "wheel", "wheel")) == contents(wheel)
    for name in ("Makefile", "requirements.lock", "CONTRIBUTING.md", ".ci/run", "tests/bare.py"):  # `make test` works
        assert (source / name).is_file(), name


def test_what_the_container_copies_builds_the_same_wheel(wheel, tmp_path):
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]]
    (tmp_path / "source").mkdir()
    for name in copied:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / "source" / name)
    assert contents(built(tmp_path / "source", tmp_path / "wheel", "wheel")) == contents(wheel)


# -- extras ------------------------------------------------------------------------------------------------------------


def test_every_extra_that_a_text_names_exists():
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    named = {
        extra.strip()
        for path in texts
        for group in re.findall(r"discreet\[([\w, -]+)\]", path.read_text(encoding="utf-8"))
        for extra in group.split(",")
    }
    assert {"spark", "postgres", "plots"} <= named
    assert named <= set(EXTRAS), named - set(EXTRAS)


def test_all_is_every_extra_for_users():
    (everything,) = EXTRAS["all"]
    assert Requirement(everything).name == PROJECT["name"]
    assert Requirement(everything).extras == set(EXTRAS) - {"all", "dev"}


def pinned() -> dict[str, str]:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return {name.lower(): version for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.MULTILINE)}


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_requirement_is_met_by_the_lock(extra):
    """So all extras can be installed together: the lock was resolved with them."""
    versions = pinned()
    asked = PROJECT["dependencies"] if not extra else EXTRAS[extra]
    wanted = [Requirement(text) for text in asked]
    for one in wanted:
        if one.name != PROJECT["name"]:
            assert one.specifier.contains(versions[one.name.lower()]), one


def test_the_lock_names_all_that_its_packages_need():
    """It is installed without a resolver."""
    versions = pinned()
    missing = []
    for name in versions:
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another system or Python
            continue
        for need in map(Requirement, needs):
            applies = need.marker is None or need.marker.evaluate({"extra": ""})
            if applies and canonicalize_name(need.name) not in versions:
                missing.append(f"{name}: {need}")
    assert not missing
