# SPDX-License-Identifier: Apache-2.0
"""A file that is not recognised is read as the person says; its columns are asked for anew where they are others."""

import sqlite3
import time

import pytest

from discreet.studio.recipe_of import as_toml
from discreet.study.replay import ProjectFile


@pytest.fixture
def brought(at_home):
    """Bring a file of this content in."""

    def bring(name, content):
        assert at_home.put("/data/file", params={"name": name}, content=content).status_code == 204
        return at_home

    return bring


def shown(client):
    for _ in range(300):
        text = client.get("/data/columns").text
        if 'class="coming"' not in text:
            return " ".join(text.split())
        time.sleep(0.1)
    raise AssertionError("no answer")


def test_of_several_tables_one_is_named(brought, tmp_path):
    with sqlite3.connect(tmp_path / "clinic.db") as database:
        database.execute("CREATE TABLE people (age, ill)")
        database.execute("CREATE TABLE visits (day, ward)")
        database.executemany("INSERT INTO people VALUES (?, ?)", [(30 + place, place % 2) for place in range(20)])
        database.executemany("INSERT INTO visits VALUES (?, ?)", [(place, "a") for place in range(30)])
    database.close()
    own = brought("clinic & co.db", (tmp_path / "clinic.db").read_bytes())
    said = shown(own)
    assert "&amp; co.db" in said  # the name that the person knows, not that of the stored file
    assert "people" in said
    assert own.studio.project.source.path.name not in said
    assert 'name="table"' in own.get("/data").text
    assert 'name="delimiter"' not in own.get("/data").text
    assert own.post("/data/reading", data={"table": "people"}).status_code == 204
    assert "20 rows, 2 columns" in shown(own)
    assert own.studio.project.recipe()["source"]["table"] == "people"
    own.post("/data/reading", data={"table": "nobody"})
    assert "nobody" in shown(own)


def test_what_cannot_be_read_is_said_on_every_page_that_needs_it(brought):
    own = brought("broken.parquet", b"PAR1 but no more")
    said = shown(own)
    assert "broken.parquet" in said
    own.studio.project.set_roles({"age": "quasi", "ill": "target"}, "Roles.")
    assert "broken.parquet" in own.get("/compare/progress").text  # and not that it is being read, for ever
    assert "broken.parquet" in own.post("/roles/of", data={"column": "age", "role": "quasi"}).text


def test_roles_stay_where_columns_do(brought):
    rows = "".join(f"{1 + place % 9}/{1 + place % 7}/2023;1,5;x\n" for place in range(20))
    own = brought("dates.csv", f"day;weight;y\n{rows}".encode())
    project = own.studio.project
    project.set_roles({"day": "quasi", "y": "target"}, "Roles.")
    assert own.post("/data/reading", data={"date_format": "month-first", "decimal": ","}).status_code == 204
    assert "date" in shown(own)
    assert project.source.reading == {"decimal": ",", "date_format": "month-first"}
    assert project.roles == {"day": "quasi", "y": "target"}
    assert own.post("/data/reading", data={"delimiter": ";", "header": "no"}).status_code == 204
    assert "21 rows, 3 columns" in shown(own)
    assert project.roles == {}
    own.post("/undo")
    assert project.roles == {"day": "quasi", "y": "target"}
    assert own.post("/data/reading", data={}).status_code == 204
    assert project.source.reading == {}


def test_what_was_read_so_is_read_so_again(brought, tmp_path):
    """The project file says how, so that the release is made again from the same table."""
    rows = "".join(f"{20 + place % 6};{place % 3},5;{'yes' if place % 2 else 'no'}\n" for place in range(60))
    own = brought("people.csv", rows.encode())
    assert own.post("/data/reading", data={"header": "no", "delimiter": ";", "decimal": ","}).status_code == 204
    shown(own)
    names = [one["name"] for one in own.studio.ask("columns").value["columns"]]
    project = own.studio.project
    project.set_roles(dict(zip(names, ("quasi", "quasi", "target"), strict=True)), "Roles.")
    kept = ProjectFile(
        format=1,
        data="people.csv",
        sha256=project.source.digest,
        chosen="mondrian-k5-median",
        recipe=as_toml(project.recipe(to_give=True)),
    )
    release, dataset = kept.release(project.source.path)
    assert len(dataset.data) == 60
    assert dataset.data.column(names[1]).kind == "number"
    assert release.certificate.verdict.holds


@pytest.mark.parametrize("form", [{"decimal": "x"}, {"header": "maybe"}, {"date_format": "%Y"}, {"delimiter": "ab"}])
def test_what_no_reading_can_be_is_refused(brought, form):
    own = brought("people.csv", b"a,b\n1,2\n3,4\n")
    before = own.studio.project.journal.revision
    assert own.post("/data/reading", data=form).status_code == 422
    assert own.studio.project.journal.revision == before
