# SPDX-License-Identifier: Apache-2.0
"""The cache gives back what it was given, or nothing: damaged entries count as absent, and no one else may read it."""

import json
import math
import os
import random
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet import DataError
from discreet.evaluate.score_cache import MARKER, Cache, Refusal
from discreet.learning.cross_validation import Score

SCORE = Score(accuracy=0.75, balanced_accuracy=0.7, auc=0.8125, brier=0.125, rows=16)
ABOUT = {"method": "mondrian", "protocol": "holdout", "folds": "5x2", "fold": 3, "classifier": "c45"}
KEYS = [f"{place:02x}" + "ab" * 31 for place in range(40)]


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "kept")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_put_is_got(cache):
    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], SCORE, ABOUT)
    cache.put(KEYS[1], Refusal("k = 5 was asked."), ABOUT)
    again = Cache(cache.folder)
    assert again.get(KEYS[0]) == SCORE
    assert again.get(KEYS[1]) == Refusal("k = 5 was asked.")
    assert again.get(KEYS[2]) is None


def test_a_figure_that_is_not_a_number_stays_one(cache):
    cache.put(KEYS[0], Score(0.5, 0.5, float("nan"), 0.5, 3), ABOUT)
    found = cache.get(KEYS[0])
    assert math.isnan(found.auc)
    assert found.rows == 3


def test_it_is_the_owners_alone(cache):
    old = os.umask(0)
    try:
        other = Cache(cache.folder.parent / "open")
        other.put(KEYS[0], SCORE, ABOUT)
    finally:
        os.umask(old)
    folders = [other.folder, *(path for path in other.folder.rglob("*") if path.is_dir())]
    files = [path for path in other.folder.rglob("*") if path.is_file()]
    assert {mode(path) for path in folders} == {0o700}
    assert {mode(path) for path in files} == {0o600}
    assert len(files) == 2


def test_an_empty_folder_becomes_private(tmp_path):
    tmp_path.chmod(0o755)
    assert mode(Cache(tmp_path).folder) == 0o700
    tmp_path.chmod(0o755)
    assert mode(Cache(tmp_path).folder) == 0o700


def _damage(content: bytes, how: random.Random) -> bytes:
    place = how.randrange(len(content))
    kind = how.choice(["cut", "flip", "empty", "other"])
    if kind == "cut":
        return content[:place]
    if kind == "flip":
        return content[:place] + bytes([content[place] ^ (1 << how.randrange(7))]) + content[place + 1 :]
    return b"" if kind == "empty" else b"[1, 2]"


def test_a_damaged_entry_is_absent_and_can_be_made_again(cache):
    """300 kinds of damage: an answer is what was put, or none."""
    how = random.Random(1)
    for _ in range(300):
        cache.put(KEYS[0], SCORE, ABOUT)
        path = cache._path(KEYS[0])
        content = path.read_bytes()
        damaged = _damage(content, how)
        path.write_bytes(damaged)
        found = cache.get(KEYS[0])
        assert found is None or (found == SCORE and json.loads(damaged) == json.loads(content))
    cache.put(KEYS[0], SCORE, ABOUT)
    assert cache.get(KEYS[0]) == SCORE


def test_an_entry_under_another_key_is_absent(cache):
    cache.put(KEYS[0], SCORE, ABOUT)
    path = cache._path(KEYS[1])
    path.parent.mkdir()
    path.write_bytes(cache._path(KEYS[0]).read_bytes())
    assert cache.get(KEYS[1]) is None
    assert cache.summary().damaged == 1


def test_many_writers_leave_whole_entries(tmp_path):
    folder = tmp_path / "kept"

    def work(seed):
        mine, order = Cache(folder), random.Random(seed)
        for key in order.sample(KEYS, len(KEYS)):
            mine.put(key, SCORE, ABOUT)
            assert mine.get(key) == SCORE

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    found = Cache(folder).summary()
    assert (found.entries, found.damaged) == (len(KEYS), 0)
    assert not list(folder.rglob(".partial-*"))


HOLDING = """
import sys, time
from discreet.evaluate.score_cache import Cache
with Cache(sys.argv[1]).claimed(sys.argv[2], wait=False) as mine:
    print(mine, flush=True)
    time.sleep(600)
"""


def test_one_at_a_time_measures_a_key_and_a_claim_ends_with_its_process(cache):
    asked = [sys.executable, "-c", HOLDING, str(cache.folder), KEYS[0]]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "True\n"
        with cache.claimed(KEYS[0], wait=False) as mine:
            assert not mine
        with cache.claimed(KEYS[1], wait=False) as mine:
            assert mine
        other.kill()
        with cache.claimed(KEYS[0], wait=True) as mine:
            assert mine
    assert cache.purge() == 0
    assert not cache.folder.exists()


def test_a_summary_counts_by_kind(cache):
    for key in KEYS[:3]:
        cache.put(key, SCORE, ABOUT)
    cache.put(KEYS[3], Refusal("why"), ABOUT | {"method": "kactus"})
    found = cache.summary()
    assert found.entries == 4
    assert found.kinds == {("kactus", "holdout", "c45"): 1, ("mondrian", "holdout", "c45"): 3}
    assert found.bytes == sum(path.stat().st_size for path in cache.folder.rglob("*.json"))


def test_purging_removes_everything_that_is_ours(cache):
    for key in KEYS:
        cache.put(key, SCORE, ABOUT)
    (cache.folder / KEYS[0][:2] / ".partial-left").write_text("half")
    assert cache.purge() == len(KEYS)
    assert not cache.folder.exists()


def test_purging_leaves_what_is_not_ours(cache):
    cache.put(KEYS[0], SCORE, ABOUT)
    (cache.folder / "thesis.txt").write_text("mine")
    (cache.folder / KEYS[0][:2] / "other.json").write_text("mine")
    assert cache.purge() == 1
    left = {path.name for path in cache.folder.rglob("*") if path.is_file()}
    assert left == {MARKER, "thesis.txt", "other.json"}


def test_purging_follows_no_link(cache, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    kept = outside / f"{KEYS[0]}.json"
    kept.write_text("mine")
    (cache.folder / KEYS[0][:2]).symlink_to(outside)
    cache.purge()
    assert kept.read_text() == "mine"
    link = tmp_path / "link"
    link.symlink_to(cache.folder)
    with pytest.raises(DataError):
        Cache.existing(link)


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="not a cache of discreet"):
        Cache(tmp_path)
    with pytest.raises(DataError, match="not a cache of discreet"):
        Cache.existing(tmp_path)
    with pytest.raises(DataError, match="Nothing was done"):
        Cache.existing(tmp_path / "absent")
    with pytest.raises(DataError, match="a file or a link"):
        Cache(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert not (tmp_path / "absent").exists()
