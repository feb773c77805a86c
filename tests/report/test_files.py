# SPDX-License-Identifier: Apache-2.0
"""A PDF is printed by a browser, of which nothing is left, whatever becomes of it."""

import os
import re
import sys
import tempfile
import time

import pytest

from discreet.errors import DataError
from discreet.report import files

BROWSER = """#!{python}
import os, subprocess, sys, time
profile = next(part for part in sys.argv if part.startswith("--user-data-dir=")).split("=", 1)[1]
busy = "import os, sys, time\\nfor n in range(10**9):\\n os.makedirs(sys.argv[1], exist_ok=True)\\n"
busy += " open(sys.argv[1] + '/' + str(n), 'w').close()\\n time.sleep(0.001)"
helper = subprocess.Popen([sys.executable, "-c", busy, profile])
open("{note}", "w").write(str(helper.pid))
{then}
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"  # dead, and nobody has asked how it ended


@pytest.mark.parametrize(
    ("then", "failure"), [("time.sleep(600)", "TimeoutExpired"), ("sys.exit(3)", "CalledProcessError")]
)
def test_a_browser_that_prints_nothing_leaves_nothing(tmp_path, monkeypatch, then, failure):
    """Its helpers would go on writing into the folder while it is removed, and after."""
    browser, note, place = tmp_path / "browser", tmp_path / "pid", tmp_path / "tmp"
    place.mkdir()
    browser.write_text(BROWSER.format(python=sys.executable, note=note, then=then), encoding="utf-8")
    browser.chmod(0o700)
    monkeypatch.setattr(files, "BROWSERS", (str(browser),))
    monkeypatch.setattr(files, "_SECONDS", 2)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    try:
        with pytest.raises(DataError, match=f"printed no PDF \\({failure}\\)"):
            files.to_pdf("<p>nothing</p>")
        ends = time.monotonic() + 10  # the system takes a moment to end what was killed
        while is_running(int(note.read_text())) and time.monotonic() < ends:
            time.sleep(0.01)
        assert not is_running(int(note.read_text()))
        assert not [*place.iterdir()]
    finally:
        if is_running(int(note.read_text())):
            os.kill(int(note.read_text()), 9)


@pytest.mark.browser
def test_a_page_is_printed_and_nothing_is_left(tmp_path, monkeypatch, chromium):
    monkeypatch.setattr(files, "BROWSERS", (chromium,))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert files.to_pdf("<p>one page</p>").startswith(b"%PDF")
    assert not [*tmp_path.iterdir()]


@pytest.mark.browser
def test_a_pdf_does_not_say_when_and_by_what_it_was_printed(chromium):
    """The public edition may be printed, too."""
    printed = files.to_pdf("<html lang=en><title>a title</title><p>words</p></html>")
    assert b"a title" in printed
    assert b"/CreationDate (" in printed
    assert not re.search(rb"D:\d{8}", printed)
    assert b"Mozilla" not in printed
    assert b"Skia" not in printed
