# SPDX-License-Identifier: Apache-2.0
import json
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from discreet import Baskets, DataError, GreedySelector, KAnonymity, Mondrian, PromiseBroken, Roles, Table, verify
from discreet.release.release import Changes, Release
from instances import ROLES, baskets, people


@pytest.fixture
def release():
    return Mondrian(5, random_state=1).release(people(), ROLES)


def test_what_is_published_and_what_is_kept(release, tmp_path):
    out = release.save(tmp_path / "out")
    assert sorted(path.name for path in (out / "release").iterdir()) == [
        "certificate.json",
        "data.csv",
        "recoding.json",
    ]
    assert sorted(path.name for path in (out / "owner").iterdir()) == ["trace.json"]
    assert stat.S_IMODE((out / "owner").stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (out / "owner").iterdir())
    assert json.loads((out / "owner" / "trace.json").read_text())["seed"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("asked", [{"l": 3, "diversity": "entropy"}, {"t": 0.3}], ids=str)
def test_a_promise_kept_to_the_digit_can_be_saved(asked, tmp_path):
    """Groups of exactly three values, or exactly 0.3 from the whole table, must not look worse by rounding."""
    cells = [1] * 24 + [2] * 30 + [1] * 6 if "t" in asked else [1, 2, 3] * 18
    half = len(cells) // 2
    table = {"age": [20] * half + [60] * half, "ill": cells, "y": [0] * half + [1] * half}
    release = Mondrian(5, **asked).release(table, Roles(target="y", quasi=["age"], sensitive=["ill"]))
    assert verify(release.save(tmp_path / "out") / "release").holds


def test_further_files_go_to_the_owner(release, tmp_path):
    out = release.save(tmp_path / "out", owner_files={"report.html": b"<p>"})
    assert (out / "owner" / "report.html").read_bytes() == b"<p>"
    assert verify(out / "release").holds


def test_an_existing_folder_is_not_overwritten_unless_asked(release, tmp_path):
    (tmp_path / "out").mkdir()
    release.save(tmp_path / "out")  # an empty folder is free
    before = (tmp_path / "out" / "release" / "data.csv").read_bytes()
    with pytest.raises(DataError, match="'out' exists already"):
        Mondrian(10).release(people(), ROLES).save(tmp_path / "out")
    assert (tmp_path / "out" / "release" / "data.csv").read_bytes() == before
    Mondrian(10).release(people(), ROLES).save(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "release" / "data.csv").read_bytes() != before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_with_other_things_in_it_is_never_overwritten(release, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(DataError, match="holds 1 entries that are not part of an earlier release"):
        release.save(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "thesis.txt").exists()


def test_the_mark_of_suppression_may_not_occur_in_the_source():
    frame = people().assign(job="*")
    with pytest.raises(DataError, match="quasi-identifiers 'job' hold the value"):
        Mondrian(5).release(frame, ROLES)


def test_unknown_formats_are_refused_before_anything_is_written(release, tmp_path):
    with pytest.raises(DataError, match="'docx' is not a release format"):
        release.save(tmp_path / "out", format="docx")
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_breaks_its_promise_is_not_written(release, tmp_path):
    broken = Release(
        promise=KAnonymity(50),
        method="mondrian",
        parameters={},
        changes=Changes(0),
        roles=release.roles,
        content=release.content,
    )
    with pytest.raises(PromiseBroken, match="50-anonymity is broken: 50 required"):
        broken.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (0, "written files could not be verified"),
        (-1, "The groups of the data differ"),
        (-2, "written files differ from the release"),
    ],
)
def test_files_that_are_not_what_was_released_are_not_saved(release, tmp_path, monkeypatch, column, message):
    """What is checked is what is on disk: a writer that spoils a cell is caught, and nothing is left."""
    honest = Table.write

    def careless(table, path, format):
        honest(table, path, format)
        if not isinstance(path, Path):
            return
        lines = path.read_text().splitlines()
        cells = lines[1].split(",")
        cells[column] = {'"yes"': '"no"', "4": "5"}.get(cells[column], "4" if cells[column].isdigit() else '"yes"')
        path.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n")

    monkeypatch.setattr(Table, "write", careless)
    with pytest.raises(PromiseBroken, match=message):
        release.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(release, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written there"):
        release.save(tmp_path / "file" / "out")


SAVE = """
    import sys, time
    sys.path.insert(0, {tests!r})
    from instances import ROLES, people
    from discreet import DataError, Mondrian
    release = Mondrian(5).release(people({rows}), ROLES)
    print("ready", flush=True)
    try:
        release.save({out!r})
    except DataError as error:
        print("DataError:", error)
        sys.exit(2)
"""


def script(tmp_path, rows=160):
    return textwrap.dedent(SAVE.format(tests=str(Path(__file__).parents[1]), rows=rows, out=str(tmp_path / "out")))


def test_a_full_disk_leaves_nothing(tmp_path):
    """A limit on the size of files makes writing fail as a full disk does."""
    source = script(tmp_path, rows=4000).replace(
        "    release.save", "    import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); release.save"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "nothing was saved" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_leaves_no_release(tmp_path):
    """Killed at many moments while saving: `out` is either absent or whole; leftovers go with the next save."""
    (tmp_path / "warm").mkdir()
    subprocess.run([sys.executable, "-c", script(tmp_path / "warm")], check=True, capture_output=True)
    for delay in (0.0, 0.01, 0.02, 0.04, 0.08):
        process = subprocess.Popen([sys.executable, "-c", script(tmp_path, 20_000)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if (tmp_path / "out").exists():
            assert verify(tmp_path / "out" / "release").holds
            break
    Mondrian(5).release(people(), ROLES).save(tmp_path / "out", overwrite=True)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["out", "warm"]


def test_the_certificate_before_and_after_saving(release, tmp_path):
    assert release.certificate.files == {}
    assert release.certificate.method.parameters.items() >= {"k": 5, "split": "median", "max_suppressed": None}.items()
    assert [c.role for c in release.certificate.columns] == ["quasi"] * 4 + ["sensitive", "other", "target"]
    release.save(tmp_path / "out")
    stated = json.loads((tmp_path / "out" / "release" / "certificate.json").read_text())
    assert list(stated["files"]) == ["data.csv", "recoding.json"]
    assert stated["changes"]["quasi_cells"] == 4 * 160


def test_changes_are_counted():
    table = {"age": [1, 1, 2, 2], "town": ["a", "a", "a", "a"], "y": [0, 1, 0, 1]}
    changes = Mondrian(2).release(table, Roles(target="y", quasi=["age", "town"])).changes
    # ages stay 1 and 2; the one town is all there is: suppressed, 4 cells
    assert (changes.quasi_cells, changes.changed_cells, changes.suppressed_cells) == (8, 4, 4)


def test_baskets_come_out_as_they_went_in(tmp_path):
    X, y = baskets()
    names = [f"item {j}" for j in range(X.shape[1])]
    release = GreedySelector(5).release(Baskets.of(X, y, names=names))
    assert release.data.shape == (len(X), len(release.features))
    assert release.columns == tuple(names[j] for j in release.features)
    assert sorted(release.labels) == sorted(y)
    before = sorted(map(str, np.column_stack([X[:, list(release.features)], y == "yes"])))
    assert sorted(map(str, np.column_stack([release.data.toarray(), release.labels == "yes"]))) == before
    out = release.save(tmp_path / "out")
    table = pq.read_table(out / "release" / "data.parquet")
    assert table.column_names == ["label", "items"]
    with pytest.raises(DataError, match="Only releases of tables recode"):
        release.recode(X)


def test_repr_shows_no_cell(release):
    assert repr(release) == "Release(5-anonymity, by mondrian, 160 rows, 7 columns, holds=True)"


def test_another_promise_is_measured_in_persons_where_the_release_is(tmp_path):
    from instances import PERSON_ROLES

    release = Mondrian(3).release(people(), PERSON_ROLES)
    assert release.check(KAnonymity(2)).measured == release.verdict.measured
    assert release.check(KAnonymity(2)).holds


def test_parameters_of_numpy_types_are_certified(tmp_path):
    release = Mondrian(np.int64(3)).release(people(), ROLES)
    assert verify(release.save(tmp_path / "out") / "release").certificate.method.parameters["k"] == 3


def test_a_person_column_is_kept_by_the_owner_only(tmp_path):
    from instances import PERSON_ROLES

    out = Mondrian(3).release(people(), PERSON_ROLES).save(tmp_path / "out")
    assert stat.S_IMODE((out / "owner" / "persons.parquet").stat().st_mode) == 0o600
    assert "persons.parquet" not in [path.name for path in (out / "release").iterdir()]
