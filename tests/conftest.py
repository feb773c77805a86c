# SPDX-License-Identifier: Apache-2.0
"""What some tests need and not every machine has: the papers' data, a browser.

Tests say what they need by a mark, `data` or `browser`. Where it is absent the test is skipped with the reason.
DISCREET_REQUIRE names what must be there (data,browser): then such a skip is a failure. A test without the mark sees
neither, even where they are: so that it fails on every machine, not on those alone that have no browser or data.
"""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from discreet.foundation import progress
from discreet.report import files

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
    raise AssertionError(f"unknown need {need}")


NEEDS = ("data", "browser")


def pytest_configure(config):
    unknown = REQUIRED - set(NEEDS)
    if unknown:
        raise pytest.UsageError(f"DISCREET_REQUIRE names {sorted(unknown)}; known are {NEEDS}.")


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
