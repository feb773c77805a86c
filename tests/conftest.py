# SPDX-License-Identifier: Apache-2.0
"""What some tests need and not every machine has: the papers' data, a browser, Java for Spark, a PostgreSQL server.

Tests say what they need by a mark: `data`, `browser`, `spark` or `postgres`. Where it is absent the test is skipped,
with the reason. DISCREET_REQUIRE names what must be there (data,browser,spark,postgres): then such a skip is a failure.
A test without its mark sees no data and no browser, even where they are: so that it fails on every machine, not only
on those that have none.
"""

import importlib.util
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from discreet.foundation import progress
from discreet.report import files

# A law that is broken shows both sides.
pytest.register_assert_rewrite(*(path.stem for path in Path(__file__).parent.glob("checks*.py")))
settings.register_profile("discreet", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("discreet")
# Hypothesis tries constants of all modules that are loaded: which, depends on the tests before. Its examples must not.
providers._get_local_constants = lambda: providers._local_constants

REQUIRED = {word.strip() for word in os.environ.get("DISCREET_REQUIRE", "").split(",") if word.strip()}
CHROMIUM = next((path for name in files.BROWSERS if (path := shutil.which(name))), None)


def absent(need: str) -> str | None:
    """Why a need cannot be met here, or None when it can."""
    if need == "data":
        folder = os.environ.get("DISCREET_DATA")
        if not folder:
            return "the papers' data sets are not here: DISCREET_DATA is not set"
        return None if Path(folder).is_dir() else "the folder that DISCREET_DATA names does not exist"
    if need == "browser":
        return None if CHROMIUM else "there is no Chromium on this machine"
    if need == "spark":
        return _no_package("pyspark") or (None if java_version() >= 17 else "there is no Java 17 on this machine")
    if need == "postgres":
        without = "there are no programs of a PostgreSQL server on this machine"
        return _no_package("adbc_driver_postgresql") or (None if programs_of_postgres() else without)
    raise AssertionError(f"unknown need {need}")


def _no_package(name: str) -> str | None:
    return None if importlib.util.find_spec(name) else f"{name} is not installed"


@cache
def java_version() -> int:
    """The version of the Java that Spark would start, 0 for none."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        return 0
    said = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else 0


@cache
def programs_of_postgres() -> Path | None:
    """The folder with initdb and postgres; Debian keeps it off the PATH."""
    listed = shutil.which("initdb")
    folders = [Path(listed).parent] if listed else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: bin.parent.name, reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


NEEDS = ("data", "browser", "spark", "postgres")


def pytest_configure(config):
    unknown = REQUIRED - set(NEEDS)
    if unknown:
        raise pytest.UsageError(f"DISCREET_REQUIRE names {sorted(unknown)}; known are {NEEDS}.")


def pytest_collection_modifyitems(items):
    """Those that need a server come first, together: one process of `-n auto` runs them all, and starts it once."""
    needing = {need: [item for item in items if item.get_closest_marker(need)] for need in ("spark", "postgres")}
    first = [item for those in needing.values() for item in those]
    items[:] = [*first, *(item for item in items if item not in set(first))]


def pytest_runtest_setup(item):
    for need in NEEDS:
        if item.get_closest_marker(need) and (reason := absent(need)):
            if need in REQUIRED:
                pytest.fail(f"DISCREET_REQUIRE asks for {need}, but {reason}", pytrace=False)
            pytest.skip(reason)


@pytest.fixture(autouse=True)
def _only_what_it_is_marked_for(request, monkeypatch):
    """Hides from a test what it has no mark for."""
    if not request.node.get_closest_marker("data"):
        monkeypatch.delenv("DISCREET_DATA", raising=False)
    if not request.node.get_closest_marker("browser"):
        monkeypatch.setattr(files, "BROWSERS", ())


@pytest.fixture
def patient(monkeypatch):
    """On a busy machine anything may last; a test of a command does not read what is said about that."""
    monkeypatch.setattr(progress, "PATIENCE", 600.0)
    yield
    progress.show(False)


@pytest.fixture
def papers_data() -> Path:
    """The folder of the papers' data sets; for tests marked `data`."""
    return Path(os.environ["DISCREET_DATA"])


@pytest.fixture
def chromium() -> str:
    """The path of a Chromium; for tests marked `browser`."""
    assert CHROMIUM is not None
    return CHROMIUM


@pytest.fixture(scope="session")
def postgres_programs() -> Path:
    """The folder with the programs of a PostgreSQL server; for tests marked `postgres`."""
    folder = programs_of_postgres()
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def postgres(postgres_programs):
    """A running PostgreSQL server; for tests marked `postgres`."""
    from postgres_server import running_server

    with running_server(postgres_programs) as server:
        yield server


@pytest.fixture(scope="session")
def spark_processes(tmp_path_factory):
    """A Spark cluster; for tests marked `spark`."""
    from spark_cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture
def cluster(spark_processes):
    """A Spark cluster that this process is connected to, so that engines need not name it."""
    spark_processes.connect()
    return spark_processes


@pytest.fixture
def lonely_cluster(spark_processes):
    """A Spark cluster that runs nothing, for a program of its own."""
    spark_processes.disconnect()
    return spark_processes
