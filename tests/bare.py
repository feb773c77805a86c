# SPDX-License-Identifier: Apache-2.0
"""A bare machine, as far as a machine can play another: another user without a home folder, nothing on the PATH, no
browser, no data of the papers, and an installation that nobody may write to.

`python tests/bare.py` is the second stage of .ci/run: on such a machine it writes data, inspects, releases, verifies,
recodes, attacks and runs the demo; then it runs TESTS in a copy of the checkout that belongs to the other user.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOBODY = 65534
ROLES = ("--target", "readmitted", "--quasi", "age,sex,zip", "--identifier", "name", "--identifier", "patient_id")
COMMANDS = (
    ("data", "write", "clinic", "--rows", "500", "-o", "clinic.csv"),
    ("inspect", "clinic.csv", "--target", "readmitted"),
    ("release", "clinic.csv", *ROLES, "--method", "mondrian", "--k", "5", "-o", "out"),
    ("verify", "out/release"),
    ("recode", "out/release", "clinic.csv", "-o", "written.csv"),
    ("attack", "out/release", "--known", "clinic.csv", "--attacks", "prosecutor,marketer", "--quiet"),
    ("demo",),
    ("verify", "discreet-demo/tree-ladder/release"),
    ("report", "discreet-demo/study", "--public", "-o", "public.html"),
)
TESTS = (  # commands, what they write and read, where kernels are kept, what needs a browser
    "test_needs.py",
    "foundation/test_compiled_kernels.py",
    "cli/test_app.py",
    "cli/test_compare.py",
    "cli/test_ledger.py",
    "cli/test_report.py",
    "release/test_release.py",
    "release/test_verify.py",
    "data/test_storage.py",
    "samples/test_clinic.py",
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
    """A folder with the installation (`source`, read-only) and what the other user may write to (`work`, `tmp`)."""

    folder: Path
    prefix: list[str]

    @classmethod
    def at(cls, folder: Path, prefix: list[str]) -> "Machine":
        shutil.copytree(ROOT / "src", folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
        for path in (folder / "source", *(folder / "source").rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)
        for name in ("work", "tmp"):
            (folder / name).mkdir(mode=0o700)
        machine = cls(folder, prefix)
        machine.hand_over(folder / "work", folder / "tmp")
        folder.chmod(0o755)
        return machine

    def hand_over(self, *paths: Path) -> None:
        if self.prefix:
            for path in paths:
                os.chown(path, NOBODY, NOBODY)

    def run(self, *arguments: str, cwd: Path | None = None, source: Path | None = None, **options):
        """Run Python with these arguments as the other user."""
        environment = {
            "PATH": str(self.folder / "nothing"),
            "HOME": "/nonexistent",
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": str(source or self.folder / "source"),
        }
        command = [*self.prefix, sys.executable, *arguments]
        return subprocess.run(command, cwd=cwd or self.folder / "work", env=environment, **options)

    def remove(self) -> None:
        for path in (self.folder / "source").rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
        (self.folder / "source").chmod(0o755)
        shutil.rmtree(self.folder)


def main() -> None:
    prefix = another_user()
    if prefix is None:
        sys.exit(f"No other user can run {sys.executable}: setpriv is not there, or the folder is closed to others.")
    machine = Machine.at(Path(tempfile.mkdtemp(prefix="discreet-bare-")), prefix)
    try:
        for command in COMMANDS:
            sys.stderr.write(f"discreet {' '.join(command)}\n")
            machine.run("-m", "discreet", *command, check=True, stdout=subprocess.DEVNULL)
        checkout = machine.folder / "checkout"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "_build")
        shutil.copytree(ROOT, checkout, ignore=ignored)
        machine.hand_over(checkout, *checkout.rglob("*"))
        tests = [f"tests/{name}" for name in TESTS]
        options = ("-q", "-n", "auto", "--dist", "worksteal")
        machine.run("-m", "pytest", *options, *tests, check=True, cwd=checkout, source=checkout / "src")
    except subprocess.CalledProcessError as error:
        sys.exit(f"On a bare machine this fails with status {error.returncode}: {' '.join(error.cmd)}")
    finally:
        machine.remove()


if __name__ == "__main__":
    main()
