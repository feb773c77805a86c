# SPDX-License-Identifier: Apache-2.0
"""A bare machine, as far as a machine can play another: another user without a home folder, nothing on the PATH, no
browser, no data of the papers, and an installation that nobody may write to.

`python tests/bare.py` is the second stage of .ci/run. It builds the wheel and installs it in a new environment, which
shares its dependencies with this one and nothing else. From there the other user writes data, inspects, releases,
verifies, recodes, attacks and runs the demo; then TESTS, with the tests of a copy of the checkout and the package of
the wheel.
"""

import os
import shutil
import site
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOBODY = 65534
ROLES = ("--target", "readmitted", "--quasi", "age,sex,zip", "--identifier", "name", "--identifier", "patient_id")
COMMANDS = (
    ("--version",),
    ("data", "write", "clinic", "--rows", "500", "-o", "clinic.csv"),
    ("inspect", "clinic.csv", "--target", "readmitted"),
    ("release", "clinic.csv", *ROLES, "--method", "mondrian", "--k", "5", "-o", "out"),
    ("verify", "out/release"),
    ("recode", "out/release", "clinic.csv", "-o", "written.csv"),
    ("attack", "out/release", "--known", "clinic.csv", "--attacks", "prosecutor,marketer", "--quiet"),
    ("demo", "--rows", "1000"),
    ("verify", "discreet-demo/tree-ladder/release"),
    ("report", "discreet-demo/study", "--public", "-o", "public.html"),
)
TESTS = (  # what is seen of the machine, where kernels are kept, reports and what needs a browser for them
    "test_needs.py",
    "foundation/test_compiled_kernels.py",
    "cli/test_report.py",
    "report",
    "browser",
)


def another_user() -> list[str] | None:
    """What to put before a command so that another user runs it. Nothing for those who are not root: they may not write
    to the installation and have no home folder here either. None where no other user can run this Python.
    """
    if os.geteuid():
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return None
    plain = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    reading = [*plain, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]  # a Python in root's home
    trial = "import numpy, subprocess, sys; subprocess.run([sys.executable, '-c', 'import numpy'], check=True)"
    for prefix in (plain, reading):
        tried = subprocess.run([*prefix, sys.executable, "-c", trial], env={}, capture_output=True)
        if not tried.returncode:
            return prefix
    return None


@dataclass(frozen=True)
class Machine:
    """A folder with an installation, which is read-only, and what the other user may write to (`work`, `tmp`)."""

    folder: Path
    prefix: list[str]

    @classmethod
    def at(cls, folder: Path, prefix: list[str]) -> "Machine":
        machine = cls(folder, prefix)
        machine.install()
        for name in ("work", "tmp"):
            (folder / name).mkdir(mode=0o700)
        machine.hand_over(folder / "work", folder / "tmp")
        folder.chmod(0o755)
        return machine

    @property
    def programs(self) -> Path:
        return self.folder / "installation" / "bin"

    def install(self) -> None:
        """The wheel in an environment of its own, and the packages it needs where they are."""
        place, python = self.folder / "wheel", str(self.programs / "python")
        run = partial(subprocess.run, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)])
        run([sys.executable, "-m", "venv", "--without-pip", str(self.folder / "installation")])
        quickly = ("--no-deps", "--no-index", "--no-compile", "--quiet", "--disable-pip-version-check")
        run([sys.executable, "-m", "pip", "--python", python, "install", *quickly, *map(str, place.iterdir())])
        (packages,) = (self.folder / "installation").glob("lib/python*/site-packages")
        (packages / "needs.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")  # reads no .pth there
        for path in (packages / "discreet", *(packages / "discreet").rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)

    def hand_over(self, *paths: Path) -> None:
        if self.prefix:
            for path in paths:
                os.chown(path, NOBODY, NOBODY)

    def run(self, program: str, *arguments: str, cwd: Path | None = None, **options):
        """Run a program of the installation as the other user."""
        environment = {
            "PATH": str(self.folder / "nothing"),
            "HOME": "/nonexistent",
            "TMPDIR": str(self.folder / "tmp"),
        }
        command = [*self.prefix, str(self.programs / program), *arguments]
        return subprocess.run(command, cwd=cwd or self.folder / "work", env=environment, **options)

    def check_kernels(self) -> None:
        """Machine code is kept where the other user alone can write."""
        (kept,) = (path for path in (self.folder / "tmp").iterdir() if path.name.startswith("discreet-kernels-"))
        assert stat.S_IMODE(kept.stat().st_mode) == 0o700
        assert [*kept.rglob("*.nbc")]

    def remove(self) -> None:
        for path in (self.folder / "installation").rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(self.folder)


def main() -> None:
    prefix = another_user()
    if prefix is None:
        sys.exit(f"No other user can run {sys.executable}: setpriv is not there, or the folder is closed to others.")
    machine = Machine(Path(tempfile.mkdtemp(prefix="discreet-bare-")), prefix)
    try:
        machine = Machine.at(machine.folder, prefix)
        where = "import discreet; print(discreet.__file__)"
        found = machine.run("python", "-c", where, check=True, capture_output=True, text=True).stdout
        assert Path(found.strip()).is_relative_to(machine.folder / "installation"), found
        for command in COMMANDS:
            sys.stderr.write(f"discreet {' '.join(command)}\n")
            machine.run("discreet", *command, check=True, stdout=subprocess.DEVNULL)
        machine.check_kernels()
        checkout = machine.folder / "checkout"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "_build", "src")
        shutil.copytree(ROOT, checkout, ignore=ignored)
        machine.hand_over(checkout, *checkout.rglob("*"))
        tests = [f"tests/{name}" for name in TESTS]
        options = ("-q", "-n", "auto", "--dist", "worksteal")
        machine.run("python", "-m", "pytest", *options, *tests, check=True, cwd=checkout)
    except subprocess.CalledProcessError as error:
        sys.exit(f"On a bare machine this fails with status {error.returncode}: {' '.join(error.cmd)}")
    finally:
        machine.remove()


if __name__ == "__main__":
    main()
