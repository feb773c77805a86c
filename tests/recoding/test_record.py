# SPDX-License-Identifier: Apache-2.0
import json
import shutil
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import (
    DataError,
    GreedySelector,
    KActus,
    Mondrian,
    RandomFlip,
    Roles,
    Table,
    TopDownSpecialization,
    TreeLadder,
    recode,
    verify,
)
from discreet.cli.app import app
from discreet.recoding.labels import EVERYTHING, Labelling, Meaning
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.recoding.record import from_bytes, to_bytes, to_plain
from discreet.release.certificate import Certificate, file_record
from instances import RARE, ROLES, people, recodes_source

DATES = {"when": ["2024-01-01", "2024-02-01", "2024-03-05", "2024-04-01", "2024-05-02", None], "y": [0, 1] * 3}


@pytest.fixture
def folder(tmp_path):
    return Mondrian(5).release(people(), ROLES).save(tmp_path / "out") / "release"


def certify(folder, record: bytes):
    """Put another record in the folder, and a certificate that vouches for it."""
    (folder / "recoding.json").write_bytes(record)
    stated = Certificate.read(folder)
    files = stated.files | {"recoding.json": file_record(folder / "recoding.json")}
    (folder / "certificate.json").write_bytes(stated.sealed(files).to_bytes())


def problems(folder):
    found = verify(folder)
    assert not found.holds
    return " ".join(found.problems)


@pytest.mark.parametrize("k", [2, 3, 5, 17, 40, 100])
@pytest.mark.parametrize("split", ["median", "information"])
def test_every_released_row_fits_its_own_box(k, split):
    """Also those with a category too rare to be named, and those with missing cells."""
    release = Mondrian(k, split=split).release(people(), ROLES)
    table, public = Table.of(people()), release.plan.public
    ours, theirs = release.plan.apply(table), public.apply(table)
    assert all(ours[name][0].equals(theirs[name][0]) for name in ROLES.quasi)


def test_a_common_value_that_no_label_names_is_not_an_other():
    """`b` is suppressed wherever it occurs, and the rare towns are published as "other": a new `b` is none of these."""
    meanings = (Meaning.of(["a"]), Meaning.of([], others=True), EVERYTHING)
    town = Labelling("town", "category", ("a", "other", "*"), meanings, known=frozenset("ab"))
    boxes, published = Boxes.of([town], [[0], [1], [2]]), Table.of({"town": ["a", "other", "*"]})
    plan = from_bytes(to_bytes(boxes.within(published)))
    rows = Table.of({"town": ["a", "b", "rare", None]})
    assert plan.apply(rows)["town"][0].to_arrow().to_pylist() == ["a", "*", "other", "*"]
    assert boxes.apply(rows)["town"][0].equals(plan.apply(rows)["town"][0])
    each = EachColumn((town,)).within(published).apply(rows)["town"][0]
    assert each.to_arrow().to_pylist() == ["a", "*", "other", "*"]


@pytest.mark.parametrize("method", [TreeLadder(4), KActus(4), Mondrian(4), TopDownSpecialization(4)])
def test_owner_and_recipient_agree_on_rare_categories(method):
    """Small tables of categories, some of them rare, most combinations in no pattern."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 60
        names = {f"c{c}": [f"{x}{c}" for x in "abcdefg"] for c in range(3)}
        towns = {c: rng.choice(seven, n, p=rng.dirichlet(np.full(7, 0.7))) for c, seven in names.items()}
        label = [str(a[0] in "ace") if rng.random() < 0.9 else "False" for a in towns["c0"]]
        release = method.release(towns | {"y": [*label[:-2], "True", "False"]}, Roles(target="y", quasi=list(towns)))
        rows = {c: [*rng.permutation(cells), "new", None, *cells] for c, cells in towns.items()}
        theirs = from_bytes(release.record).apply(Table.of(rows))
        for name in towns:
            assert release.recode(rows).column(name).equals(theirs[name][0]), (seed, name)
        source = release.recode(towns).to_arrow().to_pylist()
        if recodes_source(method):
            quasi = release.table.select(list(towns)).to_arrow().to_pylist()
            assert Counter(map(str, source)) == Counter(map(str, quasi))


def test_dates_and_truth_values_survive():
    release = Mondrian(2).release(DATES, Roles(target="y", quasi=["when"]))
    plan = from_bytes(release.record)
    assert plan.columns[0].kind == "date"
    ours, theirs = release.recode(DATES), plan.apply(Table.of(DATES))
    assert ours.column("when").equals(theirs["when"][0])
    flags = {"old": [True, False] * 20, "y": [0, 1] * 20}
    release = GreedySelector(5).release(flags, Roles(target="y", quasi=["old"]))
    assert from_bytes(release.record).apply(Table.of({"old": [True, False]}))["old"][0].codes.tolist() == [1, 0]


def test_a_record_comes_back_from_its_bytes():
    for method in (Mondrian(4), GreedySelector(4)):
        record = method.release(people(), ROLES).record
        plan = from_bytes(record)
        assert to_bytes(plan) == record
        assert json.loads(record) == to_plain(plan)
        assert isinstance(plan, Boxes if isinstance(method, Mondrian) else EachColumn)


def test_what_too_few_have_is_in_no_record(folder):
    text = (folder / "recoding.json").read_text()
    assert RARE not in text
    assert '"others": true' in text or '"not_in"' in text


def test_a_label_means_the_same_in_every_row(folder):
    """So the record cannot tell rows apart that the data does not; short labels are spelt out there."""
    record = json.loads((folder / "recoding.json").read_text())
    for column in record["columns"]:
        labels = [line["label"] for line in column["labels"]]
        assert len(set(labels)) == len(labels)
    first = record["columns"][0]["labels"]
    first.append({**first[0], "missing": True})
    with pytest.raises(DataError, match="not a recoding record"):
        from_bytes(json.dumps(record).encode())


def test_kinds_are_those_of_the_record(folder):
    """Ages that come as text, and a town that looks like a number, are read as the release read them."""
    frame = people().head(4)
    texts = recode(folder, frame.assign(age=frame["age"].astype(str), town=["1", "2", "3", "4"]))
    assert texts.equals(recode(folder, frame.assign(town=[1, 2, 3, 4])))
    with pytest.raises(DataError, match="'age' was declared a number"):
        recode(folder, frame.assign(age="old"))


def test_the_frame_that_came_in_comes_out_without_identifiers(folder):
    frame = people().head(3).set_axis(["x", "y", "z"])
    written = recode(folder, frame)
    assert type(written) is type(frame)
    assert list(written.index) == ["x", "y", "z"]
    assert {"name", "hidden_column", "who"}.isdisjoint(written.columns)
    assert list(recode(folder, people()[list(ROLES.quasi)]).columns) == list(ROLES.quasi)  # new rows may have no label


def test_a_column_that_is_not_there(folder):
    with pytest.raises(DataError, match="There is no column 'town'"):
        recode(folder, people().drop(columns="town"))


def test_a_release_without_a_record(tmp_path, folder):
    flipped = RandomFlip(5).release(people(), ROLES).save(tmp_path / "flipped") / "release"
    assert not (flipped / "recoding.json").exists()
    with pytest.raises(DataError, match="so rows cannot be recoded to it"):
        recode(flipped, people())
    stated = Certificate.read(folder)  # as releases were before there were records
    (folder / "recoding.json").unlink()
    (folder / "certificate.json").write_bytes(stated.sealed({"data.csv": stated.files["data.csv"]}).to_bytes())
    assert verify(folder).holds


def test_groups_that_are_not_those_of_the_data(folder):
    stated = Certificate.read(folder)
    lie = stated.model_copy(update={"groups": stated.groups.model_copy(update={"pure_groups": 0})})
    (folder / "certificate.json").write_bytes(lie.sealed(lie.files).to_bytes())
    assert "The groups of the data differ" in problems(folder)


# -- tampering --------------------------------------------------------------------------------------------------------


def test_a_record_that_was_changed_or_is_gone(folder):
    content = (folder / "recoding.json").read_bytes()
    (folder / "recoding.json").write_bytes(content.replace(b'"m"', b'"f"', 1))
    assert "Files were changed after they were certified: 'recoding.json'" in problems(folder)
    with pytest.raises(DataError, match="was changed after it was certified"):
        recode(folder, people())
    (folder / "recoding.json").unlink()
    assert "missing: 'recoding.json'" in problems(folder)


def test_labels_and_patterns_that_the_data_does_not_have(folder):
    plan = from_bytes((folder / "recoding.json").read_bytes())
    age = plan.columns[0]
    more = Labelling(age.name, age.kind, (*age.labels, "invented"), (*age.meanings, Meaning.between(1, 2)))
    pattern = plan.codes[:1].copy()
    pattern[0, 0] = len(age.labels)
    certify(folder, to_bytes(Boxes.of((more, *plan.columns[1:]), [*plan.codes, *pattern])))
    assert "has 1 labels that do not occur in the data" in problems(folder)
    missing = next(
        (c, d) for c in plan.codes for d in plan.codes if not (plan.codes == [d[0], *c[1:]]).all(axis=1).any()
    )
    certify(folder, to_bytes(Boxes.of(plan.columns, [*plan.codes, [missing[1][0], *missing[0][1:]]])))
    assert "has 1 patterns that do not occur in the data" in problems(folder)


def test_a_record_about_other_columns(folder):
    plan = from_bytes((folder / "recoding.json").read_bytes())
    certify(folder, to_bytes(EachColumn(plan.columns[1:])))
    assert "does not have the quasi-identifiers" in problems(folder)


COLUMN = b'{"name": "x", "kind": "category", "labels": [\n   {"label": "a"}]}'
NUMBER = b'{"name": "x", "kind": "number", "labels": [\n   {"label": "*", "from": 1e999}]}'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": 2, "columns": []}\n',
        b'{"format": 1, "columns": [], "seed": 7}\n',
        b'{"format": 1, "columns": [\n ' + NUMBER + b"]}\n",
        b'{"format": 1, "columns": [\n ' + COLUMN + b'], "patterns": [\n [1]]}\n',
        b'{"format": 1, "columns": [\n ' + COLUMN + b'], "patterns": [\n [0, 0]]}\n',
        b'{"format": 1, "columns": [\n ' + COLUMN + b'], "patterns": []}\n',
    ],
)
def test_what_is_not_a_record(folder, content):
    with pytest.raises(DataError, match="is not a recoding record"):
        from_bytes(content)
    certify(folder, content)
    assert "is not a recoding record" in problems(folder)


def test_a_record_written_in_another_way(folder):
    content = (folder / "recoding.json").read_bytes()
    with pytest.raises(DataError, match="it was edited"):
        from_bytes(content.replace(b": ", b":  ", 1))


# -- the command line -------------------------------------------------------------------------------------------------


def test_recoding_at_the_command_line(folder, tmp_path):
    people().to_csv(tmp_path / "new.csv", index=False)
    shutil.move(folder, tmp_path / "received")
    arguments = ["recode", str(tmp_path / "received"), str(tmp_path / "new.csv"), "-o"]
    done = CliRunner().invoke(app, [*arguments, str(tmp_path / "written.csv"), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 160
    written = Table.of(tmp_path / "written.csv", kinds={"age": "category"})
    expected = recode(tmp_path / "received", Table.of(people()))
    assert written.names == expected.names
    assert written.column("age").to_arrow().to_pylist() == expected.column("age").to_arrow().to_pylist()
    again = CliRunner().invoke(app, [*arguments, str(tmp_path / "written.csv")])
    assert again.exit_code == 2
    assert "exists already" in again.output
    said = CliRunner().invoke(app, [*arguments, str(tmp_path / "written.parquet")])
    assert "160 rows" in said.output
    assert "The promise covers the released rows, not these" in said.output
    assert CliRunner().invoke(app, [*arguments, str(tmp_path / "written.docx")]).exit_code == 2
