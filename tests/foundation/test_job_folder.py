# SPDX-License-Identifier: Apache-2.0
"""Folders of jobs: what a killed job left is found by the same job, removed for any other, and private all the time."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from discreet.errors import DataError
from discreet.foundation.job_folder import JOB, MARK, clean_jobs, job_folder

PURPOSE = {"source": [1, 2], "k": 5}

KILLED = """
import os, signal, sys
from pathlib import Path
from discreet.foundation.job_folder import job_folder
with job_folder(Path(sys.argv[1]), {"source": [1, 2], "k": 5}) as work:
    (work / "tally").write_text("cells")
    (work / "parts").mkdir()
    (work / "parts" / "one").write_text("cells")
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


def killed(target, by="SIGKILL"):
    done = subprocess.run([sys.executable, "-c", KILLED, str(target), by], stderr=subprocess.DEVNULL)
    assert done.returncode == -getattr(signal, by)


def jobs(folder):
    return [name for name in os.listdir(folder) if name.startswith(JOB)]


def test_a_finished_job_leaves_nothing(tmp_path):
    with job_folder(tmp_path / "out", PURPOSE) as work:
        (work / "tally").write_text("cells")
        assert stat.S_IMODE(work.stat().st_mode) == 0o700
        assert stat.S_IMODE((work / MARK).stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [DataError("full"), OSError(28, "full"), KeyboardInterrupt()])
def test_neither_does_one_that_fails_or_is_stopped(tmp_path, error):
    def job():
        with job_folder(tmp_path / "out", PURPOSE) as work:
            (work / "tally").write_text("cells")
            raise error

    with pytest.raises(type(error)):
        job()
    assert os.listdir(tmp_path) == []


def test_a_killed_job_goes_on(tmp_path):
    killed(tmp_path / "out")
    with job_folder(tmp_path / "out", PURPOSE) as work:
        assert (work / "tally").read_text() == (work / "parts" / "one").read_text() == "cells"
    assert os.listdir(tmp_path) == []


def test_one_that_was_terminated_goes_on(tmp_path):
    def job():
        with job_folder(tmp_path / "out", PURPOSE) as work:
            (work / "tally").write_text("cells")
            raise SystemExit(143)

    with pytest.raises(SystemExit):
        job()
    with job_folder(tmp_path / "out", PURPOSE) as work:
        assert (work / "tally").read_text() == "cells"


@pytest.mark.parametrize("other", [{"source": [1, 3], "k": 5}, {"source": [1, 2], "k": 6}, {}])
def test_another_purpose_finds_nothing(tmp_path, other):
    killed(tmp_path / "out")
    with job_folder(tmp_path / "out", other) as work:
        assert os.listdir(work) == [MARK]


def test_another_target_has_another_folder(tmp_path):
    killed(tmp_path / "out")
    with job_folder(tmp_path / "elsewhere", PURPOSE) as work:
        assert os.listdir(work) == [MARK]
    assert len(jobs(tmp_path)) == 1


def test_two_at_once_are_refused(tmp_path):
    with (
        job_folder(tmp_path / "out", PURPOSE),
        pytest.raises(DataError, match="Another process is making 'out' now"),
        job_folder(tmp_path / "out", PURPOSE),
    ):
        pass


def test_abandoned_jobs_are_cleaned_and_working_ones_are_not(tmp_path):
    killed(tmp_path / "out")
    (left,) = jobs(tmp_path)
    with job_folder(tmp_path / "other", PURPOSE) as work:
        assert clean_jobs(tmp_path, dry_run=True) == ([left], [work.name])
        assert len(jobs(tmp_path)) == 2
        assert clean_jobs(tmp_path, older_than=3600) == ([], [work.name])
        assert clean_jobs(tmp_path) == ([left], [work.name])
    assert os.listdir(tmp_path) == []


def test_a_folder_that_others_can_read_is_not_used(tmp_path):
    killed(tmp_path / "out")
    (left,) = jobs(tmp_path)
    (tmp_path / left).chmod(0o755)
    with pytest.raises(DataError, match="cannot be used"), job_folder(tmp_path / "out", PURPOSE):
        pass
    assert clean_jobs(tmp_path) == ([], [left])


def test_a_link_is_not_followed(tmp_path):
    killed(tmp_path / "out")
    (left,) = jobs(tmp_path)
    os.rename(tmp_path / left, tmp_path / "mine")
    (tmp_path / left).symlink_to(tmp_path / "mine")
    with pytest.raises(DataError, match="cannot be used"), job_folder(tmp_path / "out", PURPOSE):
        pass
    assert clean_jobs(tmp_path) == ([], [left])
    assert (tmp_path / "mine" / "tally").exists()
