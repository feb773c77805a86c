# SPDX-License-Identifier: Apache-2.0
"""Limits of time, memory and disk: what does not fit is not begun, and what failed for want of room is tried again."""

import errno

import numpy as np
import pytest
import scipy.sparse as sp

from discreet import Baskets
from discreet.data.dataset import Dataset
from discreet.errors import DataError
from discreet.foundation import atomic_files as atomic
from discreet.report.study_page import summarise_study
from discreet.study import recipe_from, run, run_study
from discreet.study.measure import DISK
from small_study import RECIPE, load, written_clinic


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 200)


def study_of(clinic, folder, limits=""):
    text = f"{RECIPE}[run]\nseed = 3\n{limits}"
    return run_study(lambda: load(clinic, text), recipe_from(text), folder)


def test_after_the_time_nothing_more_is_begun_until_it_is_asked_again(clinic, tmp_path, monkeypatch):
    with monkeypatch.context() as soon:
        late = iter([False, True])
        soon.setattr(run._Run, "_late", lambda _: next(late))
        found = study_of(clinic, tmp_path / "study", "minutes = 5\n")
    assert [*found.results] == ["mondrian-k5"]
    assert found.skipped["tds-k5"].endswith("time was over. The same command starts it.")
    assert summarise_study(found, name="clinic.csv")["best"] == "mondrian-k5"
    again = study_of(clinic, tmp_path / "study", "minutes = 5\n")
    assert [*again.results] == ["mondrian-k5", "tds-k5"]
    assert again.skipped == {}
    assert study_of(clinic, tmp_path / "none", "minutes = 1e-9\n").results == {}


@pytest.mark.parametrize(("jobs", "enough"), [(1, 0.5), (2, 1.3)])
def test_a_table_needs_room_for_its_processes(clinic, tmp_path, jobs, enough):
    """One process with nothing to do takes 0.36 GB already; measured as the largest resident size."""
    with pytest.raises(DataError, match=f"200 rows of 3 columns need about .* GB with {jobs} job.*allows 0.3"):
        study_of(clinic, tmp_path / "study", f"jobs = {jobs}\nmemory_gb = 0.3\n")
    assert not (tmp_path / "study").exists()
    run._enough_memory(load(clinic, RECIPE), recipe_from(f"{RECIPE}[run]\njobs = {jobs}\nmemory_gb = {enough}"))


def test_items_need_less_room_than_columns():
    """Measured: greedy and a logistic regression on 20,000 baskets of 5,000 items took 2.1 GB."""
    rng = np.random.default_rng(0)
    places = (np.arange(20_000), rng.permutation(np.arange(20_000) % 5_000))
    baskets = Baskets.of(sp.csr_array((np.ones(20_000), places)), rng.integers(0, 2, 20_000))
    for limit, fits in ((2, False), (3, True)):
        recipe = recipe_from(f"format = 1\n[run]\nmemory_gb = {limit}")
        if fits:
            run._enough_memory(Dataset.of(baskets), recipe)
        else:
            with pytest.raises(DataError, match=r"20,000 baskets of 5,000 items need about 2\.4 GB with 1 job;"):
                run._enough_memory(Dataset.of(baskets), recipe)


def test_a_full_disk_is_no_refusal_it_is_tried_again(clinic, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(atomic, "_sync", full)  # while a release is saved
        found = study_of(clinic, tmp_path / "study")
    assert {result["failed"] for result in found.results.values()} == {DISK}
    assert all(result["refused"].startswith("Its files could not be written.") for result in found.results.values())
    again = study_of(clinic, tmp_path / "study")
    assert [*again.released] == ["mondrian-k5", "tds-k5"]
