# SPDX-License-Identifier: Apache-2.0
"""The measurement of scale: what a program took is seen from outside, kept, and printed as a page."""

import sys

import pytest
from benchmarks.scale import kept, page
from benchmarks.scale.kept import Line, Part
from benchmarks.scale.watching import watch, watch_python

HELD = 64 << 20
PROGRAM = f"""
import json, time
from benchmarks.scale.watching import stage
stage("hold")
held = bytearray(b"x") * {HELD}
time.sleep(0.3)
stage("work")
del held
end = time.process_time() + 0.3
while time.process_time() < end:
    pass
print(json.dumps({{"done": True}}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_program_is_watched_by_its_stages():
    run = watch_python(PROGRAM)
    assert run.failed == ""
    assert run.answer == {"done": True}
    stages = {one.name: one for one in run.stages}
    assert list(stages) == ["all", "hold", "work"]
    assert stages["hold"].peak >= HELD
    assert stages["hold"].seconds >= 0.3
    assert stages["work"].cpu >= 0.29
    assert stages["hold"].cpu < stages["work"].cpu
    assert run.peak >= HELD
    assert sum(one.cpu for one in run.stages) == pytest.approx(run.cpu, abs=0.05)


def test_a_program_that_fails_says_why():
    assert "no such thing" in watch([sys.executable, "-c", "raise SystemExit('no such thing')"]).failed


def test_what_was_measured_is_kept_and_printed(tmp_path, monkeypatch):
    for module in (kept, page):
        monkeypatch.setattr(module, "MEASURED", tmp_path / "measured.json")
    monkeypatch.setattr(page, "DOCS", tmp_path)
    page.write()  # nothing was measured
    assert not list(tmp_path.iterdir())
    stages = [
        {"name": name, "cpu": cpu, "peak": cpu * 10**9} for name, cpu in (("tally", 2), ("write", 1), ("tally", 3))
    ]
    part = Part(
        [Line("a release", 6.0, "CPU-s", 5), Line("memory", 3.0, "GB", 4), Line("bare", 4.0, "CPU-s")],
        {"release": {"stages": stages, "cpu": 6.0, "peak": 3 * 10**9}},
    )
    kept.keep("100m", Part([Line("a release", 9.0, "CPU-s")]))
    kept.keep("100m", part)  # replaces the last run
    assert kept.kept() == {"100m": part}
    page.write()
    text = (tmp_path / "scale-figures.md").read_text()
    assert "| a release | **6 CPU-s, missed** | 5 |" in text
    assert "| memory | 3 GB | 4 |" in text
    assert "| bare | 4 CPU-s |  |" in text
    assert "| release | tally | 5.0 | 3.00 |\n| release | write | 1.0 | 1.00 |\n| release | all | 6.0 | 3.00 |" in text
