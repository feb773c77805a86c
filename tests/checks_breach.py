# SPDX-License-Identifier: Apache-2.0
"""The laws of methods that publish columns as they are, under a promise that only the owner can check. What is true of
every table is taken from checks.py; that rare values are hidden is not: a kept column shows all of its values."""

import json
import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import checks
from checks import published_bytes, published_rows, save
from discreet import CannotRelease, DataError, DiscreetError, Roles, Table, recode, verify
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.privacy.predictability import content_folds
from instances import HIDDEN, INDEX, MARKERS, METADATA, NAME, PERSON_ROLES, RARE, ROLES, UNUSED, people


def most_right(table: Table, attributes, promise, persons=None) -> int:
    """Rows that the strongest attacker gets right, fold by fold, learner by learner, without shared machinery."""
    names = sorted(column for column in table.names if column != "ill")
    folds = content_folds(table.select([*names, "ill"]), "ill", promise.folds, persons)
    truth, found = table.column("ill").to_arrow().to_pylist(), []
    for name in promise.attackers:
        right = 0
        for fold in folds:
            model = CLASSIFIERS[name]()
            model.fit(examples_for(model, table.take(fold.train), attributes, "ill"))
            said = model.predict(table.take(fold.test))
            right += sum(a == truth[row] for a, row in zip(said, fold.test, strict=True))
        found.append(right)
    return max(found)


def owner_promise_holds_on_the_saved_files(instance, tmp_path):
    method = instance.make(5)
    release = method.release(people(), ROLES)
    for format in ("csv", "parquet"):
        folder = release.save(tmp_path / format, format=format)
        without, with_owner = verify(folder / "release"), verify(folder / "release", owner=folder / "owner")
        assert without.holds, without.problems
        assert with_owner.holds, with_owner.problems
        assert without.verdict == with_owner.verdict == release.verdict
        assert without.verdict.kind == release.certificate.verdict.kind == "owner"
        assert any("owner's word" in remark for remark in without.remarks)
        assert not any("owner's word" in remark for remark in with_owner.remarks)
    rows = published_rows(tmp_path / "csv" / "release")
    private = pq.read_table(tmp_path / "csv" / "owner" / "evidence.parquet")
    assert private.column_names == list(ROLES.quasi)
    table = Table.of(private.append_column("ill", pa.array([row["ill"] for row in rows])))
    kept, full = (most_right(table, names, method.promise) for names in (release.roles.quasi, ROLES.quasi))
    assert release.verdict.measured == pytest.approx(kept / full - 1)
    assert kept <= (1 + method.alpha) * full
    for name in release.roles.quasi:  # the owner's rows stand beside the published ones
        cells = ["" if cell is None else str(cell) for cell in private.column(name).to_pylist()]
        assert cells == [row[name] for row in rows]


def owner_rows_that_were_edited_do_not_verify(instance, tmp_path):
    folder = instance.make(5).release(people(), ROLES).save(tmp_path / "out")
    path = folder / "owner" / "evidence.parquet"
    private = pq.read_table(path)
    pq.write_table(private.take([*range(1, len(private)), 0]), path, compression="none", store_schema=False)
    found = verify(folder / "release", owner=folder / "owner")
    assert not found.holds
    assert "differs" in " ".join(found.problems)
    path.unlink()
    assert "no readable evidence.parquet" in " ".join(verify(folder / "release", owner=folder / "owner").problems)


def owner_certificates_that_were_edited_do_not_verify(instance, tmp_path):
    """Whoever edits and seals again is found out by the owner."""
    from discreet.release.certificate import Certificate

    folder = instance.make(5).release(people(), ROLES).save(tmp_path / "out")
    said = Certificate.read(folder / "release")
    better = said.verdict.model_copy(update={"measured": said.verdict.measured - 0.25})
    forged = said.model_copy(update={"verdict": better})
    (folder / "release" / "certificate.json").write_bytes(forged.sealed(said.files).to_bytes())
    found = verify(folder / "release", owner=folder / "owner")
    assert "differs from what the certificate states" in " ".join(found.problems)
    recomputed = said.model_copy(update={"verdict": said.verdict.model_copy(update={"kind": "recomputed"})})
    (folder / "release" / "certificate.json").write_bytes(recomputed.sealed(said.files).to_bytes())
    assert "wrong kind of evidence" in " ".join(verify(folder / "release").problems)


def owner_the_verdict_says_that_it_is_no_guarantee(instance, tmp_path):
    release = instance.make(5).release(people(), ROLES)
    said = json.loads((release.save(tmp_path / "out") / "release" / "certificate.json").read_text())
    assert any("not a guarantee" in note for note in said["verdict"]["notes"])
    assert "unique" in said["does_not_protect"]


def owner_nothing_survives_but_kept_columns(instance, tmp_path):
    release = instance.make(5).release(people(), ROLES)
    for format in ("csv", "parquet"):
        content = published_bytes(release.save(tmp_path / format, format=format) / "release")
        for marker in (NAME, UNUSED, INDEX, METADATA, HIDDEN):
            assert marker.encode() not in content, marker
        assert (RARE.encode() in content) == ("town" in release.columns)
    dropped = [name for name in ROLES.quasi if name not in release.columns]
    columns = json.loads((tmp_path / "csv" / "release" / "certificate.json").read_text())["columns"]
    assert {column["name"] for column in columns}.isdisjoint(dropped)
    assert len(columns) == 3 + len(release.roles.quasi)


def owner_kept_columns_are_published_cell_by_cell(instance, tmp_path):
    frame = people()
    release = instance.make(5).release(frame, ROLES)
    names = [*release.roles.quasi, "again", "ill", "stay"]
    plain = frame[names].astype(object).where(frame[names].notna(), "")
    before = Counter(tuple(map(str, row)) for row in plain.to_numpy().tolist())
    rows = published_rows(release.save(tmp_path / "out") / "release")
    assert Counter(tuple(row[name] for name in names) for row in rows) == before
    assert release.changes.columns_dropped == len(ROLES.quasi) - len(release.roles.quasi)


def owner_persons_are_kept_together(instance, tmp_path):
    method = instance.make(5)
    release = method.release(people(), PERSON_ROLES)
    folder = release.save(tmp_path / "out")
    assert "who" not in release.columns
    assert release.certificate.counted == "persons"
    assert verify(folder / "release").holds
    found = verify(folder / "release", owner=folder / "owner")
    assert found.holds, found.problems
    assert found.verdict == release.verdict
    persons = pq.read_table(folder / "owner" / "persons.parquet").column("person").to_numpy()
    private = pq.read_table(folder / "owner" / "evidence.parquet")
    ill = pa.array([row["ill"] for row in published_rows(folder / "release")])
    table = Table.of(private.append_column("ill", ill))
    kept, full = (most_right(table, names, method.promise, persons) for names in (release.roles.quasi, ROLES.quasi))
    assert release.verdict.measured == pytest.approx(kept / full - 1)


def owner_impossible_is_an_error_and_writes_nothing(instance, tmp_path):
    method = instance.make(5).set_params(alpha=-1.0)
    with pytest.raises(CannotRelease, match="No subset of the 4 attributes was found that keeps"):
        method.release(people(), ROLES).save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def owner_errors_hold_no_cell_value(instance, tmp_path):
    frame = people()
    named = Roles(target="again", quasi=["age", "name"], sensitive=["ill"])
    failing = [
        lambda: instance.make(5).release(frame, Roles(target="again", quasi=["age"])),
        lambda: instance.make(5).release(frame, named),
        lambda: instance.make(5).release(frame.assign(again=RARE), ROLES),
        lambda: instance.make(5).release(frame.assign(ill=range(160)), ROLES),
        lambda: instance.make(5).release(frame, Roles(target="again", quasi=["aeg"], sensitive=["ill"])),
        lambda: instance.make(5).release(frame.head(0), ROLES),
        lambda: instance.make(5).release(frame, None),
    ]
    for fail in failing:
        with pytest.raises(DiscreetError) as caught:
            fail()
        assert not any(marker in str(caught.value) for marker in MARKERS)
        assert len(str(caught.value)) > 40
        assert "\n" not in str(caught.value)


def owner_recipients_need_no_record(instance, tmp_path):
    folder = save(instance.make(5), tmp_path / "out")
    with pytest.raises(DataError, match="so rows cannot be recoded to it"):
        recode(folder, people())
    assert {path.name for path in folder.iterdir()} == {"data.csv", "certificate.json"}
    shutil.rmtree(folder)


OWNER_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("owner_")] + [
    checks.check_identifiers_and_columns_without_a_role_are_not_published,
    checks.check_columns_that_are_published_as_they_are_stay_together,
    checks.check_row_order_tells_nothing,
    checks.check_without_a_seed_every_order_is_fresh,
    checks.check_same_seed_same_bytes,
    checks.check_the_seed_is_not_published,
    checks.check_every_kind_of_frame_gives_the_same_release,
    checks.check_arguments_are_not_changed,
    checks.check_columns_in_another_order_give_the_same_rows,
    checks.check_recoding_the_source_rows_gives_the_release,
    checks.check_unseen_values_are_recoded,
    checks.check_the_certificate_holds_nothing_private,
]
