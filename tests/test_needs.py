# SPDX-License-Identifier: Apache-2.0
"""What a test may see of the machine: `make test` passes, or fails, alike with and without a browser and data."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.errors import DataError
from discreet.report import files


def test_without_a_mark_there_is_neither_browser_nor_data():
    assert "DISCREET_DATA" not in os.environ
    with pytest.raises(DataError, match="Install Chromium"):
        files.to_pdf("<p>nothing</p>")


@pytest.mark.browser
def test_with_its_mark_there_is_a_browser(chromium):
    assert files.BROWSERS
    assert Path(chromium).is_file()


@pytest.mark.data
def test_with_its_mark_there_is_data(papers_data):
    assert papers_data.is_dir()


@pytest.mark.spark
def test_with_its_mark_there_is_java():
    assert shutil.which("java") or os.environ["JAVA_HOME"]


@pytest.mark.postgres
def test_there_are_the_programs_of_a_server(postgres_programs):
    said = subprocess.run([postgres_programs / "postgres", "--version"], capture_output=True, text=True).stdout
    assert "PostgreSQL" in said


def outcome(tmp_path, **variables):
    """How the tests `with_its_mark` above end where there is no browser, no data and no Java."""
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-k", "with_its_mark", __file__]
    environment = {"PATH": str(tmp_path), "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **variables}
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_what_is_absent_is_skipped_with_the_reason(tmp_path):
    status, said = outcome(tmp_path)
    assert status == 0, said
    assert "3 skipped" in said
    assert "there is no Chromium on this machine" in said
    assert "DISCREET_DATA is not set" in said
    assert "there is no Java 17 on this machine" in said


def test_what_is_absent_and_required_fails(tmp_path):
    status, said = outcome(tmp_path, DISCREET_REQUIRE="browser,data,spark")
    assert status == 1
    assert "3 errors" in said
    assert "DISCREET_REQUIRE asks for browser, but there is no Chromium on this machine" in said
    assert "DISCREET_REQUIRE asks for spark, but there is no Java 17 on this machine" in said
