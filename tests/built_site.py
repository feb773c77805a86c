# SPDX-License-Identifier: Apache-2.0
"""The site, built once for all processes of the tests."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LONG = 600  # seconds that a busy machine may take


class Site(NamedTuple):
    folder: Path
    status: int
    said: str


def built_site(tmp_path_factory) -> Site:
    """The folder of the pages, and what the build said; the first process that asks builds it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    try:
        folder.mkdir()
    except FileExistsError:
        ends = time.monotonic() + LONG
        while not (folder / "status").exists():
            assert time.monotonic() < ends, "another process builds the pages and does not come to an end"
            time.sleep(0.2)
        return Site(folder / "html", *_read(folder))
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", folder / "cache"]
    done = subprocess.run(
        [*command, ROOT / "docs", folder / "html"], capture_output=True, encoding="utf-8", check=False
    )
    (folder / "said").write_text(done.stderr, encoding="utf-8")
    (folder / "written").write_text(str(done.returncode), encoding="utf-8")
    (folder / "written").rename(folder / "status")
    return Site(folder / "html", *_read(folder))


def _read(folder: Path) -> tuple[int, str]:
    return int((folder / "status").read_text(encoding="utf-8")), (folder / "said").read_text(encoding="utf-8")
