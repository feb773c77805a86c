# SPDX-License-Identifier: Apache-2.0
"""Editions for programs: valid by the validators of their formats, and nothing in them that the public page lacks."""

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from discreet import Baskets, GreedySelector, KAdet, Mondrian, Roles, Table
from discreet.report.metadata import to_croissant, to_dcat, to_json
from discreet.report.public_content import SCHEMA, schema
from discreet.report.public_page import summarise_public, to_public_page
from parsed import Page

STATIC = Path(__file__).parents[2] / "docs" / "_static" / SCHEMA
HOSTILE = 'a/b#c?"<script>'
ROLES = Roles(target="y", quasi=["age", HOSTILE], other=["stay"], identifiers=["name"])
STATED = {"title": "Clinic", "license": "CC-BY-4.0", "publisher": "A clinic", "url": "https://example.org/clinic"}


def people(secret=0):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 200)
    columns = {
        "name": [f"zebra {secret} {place}" for place in range(200)],
        "age": age,
        HOSTILE: rng.choice(["a", "b"], 200),
        "stay": rng.integers(1, 9, 200),
        "idle": np.random.default_rng(secret).normal(0, 1, 200),
        "y": np.where(age > 50, "yes", "no"),
    }
    return Table.of(columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("metadata") / "out"
    return Mondrian(k=5, random_state=1).release(people(), ROLES).save(out) / "release"


@pytest.fixture(scope="module")
def summary(folder):
    return summarise_public(folder)


def read_by_its_own_library(content, folder):
    """The data set and its rows, if there are any; a violation of the format raises."""
    mlcroissant = pytest.importorskip("mlcroissant")
    path = folder / "croissant.json"
    path.write_bytes(content)
    try:
        dataset = mlcroissant.Dataset(jsonld=str(path))
        rows = list(dataset.records("rows")) if dataset.metadata.record_sets else []
        return dataset.metadata, rows
    finally:
        path.unlink()


@pytest.mark.filterwarnings("ignore")
def test_croissant_is_valid_by_its_own_validator_and_reads_the_rows(folder, summary):
    metadata, rows = read_by_its_own_library(to_croissant(summary, **STATED), folder)
    assert metadata.name == "Clinic"
    missing = {re.search(r'"([^"]*)"', text)[1].rpartition("/")[2] for text in metadata.ctx.issues.warnings}
    assert missing <= {"citeAs", "datePublished", "version"}  # recommended; no edition but the sign-off has a date
    table = Table.of(folder).to_arrow().to_pydict()
    assert len(rows) == 200
    places = {name: f"rows/{place}" for place, name in enumerate(table, start=1)}
    assert sorted(row[places["y"]].decode() for row in rows) == sorted(table["y"])
    assert sorted(row[places["stay"]] for row in rows) == sorted(table["stay"])
    assert sorted(row[places[HOSTILE]].decode() for row in rows) == sorted(table[HOSTILE])


def test_the_rows_are_those_of_the_data_file_and_not_of_a_copy(tmp_path):
    """data-de.csv comes before data.csv in the alphabet."""
    release = Mondrian(k=5, random_state=1).release(people(), ROLES)
    summary = summarise_public(release.save(tmp_path / "out", format=["csv", "csv-de", "xlsx", "sav"]) / "release")
    croissant, dcat = json.loads(to_croissant(summary)), json.loads(to_dcat(summary))
    (rows,) = croissant["recordSet"]
    assert {field["source"]["fileObject"]["@id"] for field in rows["field"]} == {"data.csv"}
    files = {file["name"]: file for file in croissant["distribution"]}
    names = ["data.csv", "recoding.json", "data-de.csv", "data.sav", "data.xlsx", "certificate.json"]
    assert list(files) == names
    assert files["data-de.csv"]["description"] == "The published data once more, in another format."
    assert files["data.xlsx"]["encodingFormat"].endswith("spreadsheetml.sheet")
    assert files["data.sav"]["encodingFormat"] == "application/x-spss-sav"
    assert [one["dct:title"] for one in dcat["dcat:distribution"]] == names


@pytest.mark.filterwarnings("ignore")
def test_croissant_of_baskets_and_models(tmp_path):
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((200, 8)) < 0.4).astype(int), rng.integers(0, 2, 200))
    items = GreedySelector(k=5).release(baskets).save(tmp_path / "items") / "release"
    metadata, rows = read_by_its_own_library(to_croissant(summarise_public(items)), items)
    assert len(rows) == 200
    model = KAdet(k=10).release(people(), ROLES).save(tmp_path / "model") / "release"
    metadata, rows = read_by_its_own_library(to_croissant(summarise_public(model)), model)
    assert rows == []
    assert {one.name for one in metadata.distribution} == {"model.json", "certificate.json"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_dcat_says_the_same_in_its_own_words(folder, summary):
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(data=to_dcat(summary, **STATED).decode(), format="json-ld")
    dcat, dct = rdflib.Namespace("http://www.w3.org/ns/dcat#"), rdflib.Namespace("http://purl.org/dc/terms/")
    (dataset,) = graph.subjects(rdflib.RDF.type, dcat.Dataset)
    assert str(graph.value(dataset, dct.identifier)) == summary["id"]
    assert str(graph.value(dataset, dct.title)) == "Clinic"
    files = {str(graph.value(one, dct.title)) for one in graph.objects(dataset, dcat.distribution)}
    assert files == {path.name for path in folder.iterdir()}
    sums = {str(value) for value in graph.objects(None, rdflib.URIRef("http://spdx.org/rdf/terms#checksumValue"))}
    assert {file["sha256"] for file in summary["certificate"]["files"].values()} <= sums


def test_the_content_fits_its_schema_which_the_documentation_shows(summary):
    document = json.loads(to_json(summary))
    assert document["$schema"] == SCHEMA
    jsonschema.Draft202012Validator.check_schema(json.loads(schema()))
    jsonschema.validate(document, json.loads(schema()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"more": 1}, json.loads(schema()))
    assert STATIC.read_text(encoding="utf-8") == schema(), "write schema() there again"


def words_of(value):
    if isinstance(value, dict):
        return {word for part in value.values() for word in words_of(part)}
    if isinstance(value, list):
        return {word for part in value for word in words_of(part)}
    return {value} if isinstance(value, str) else set()


def test_nothing_in_them_that_is_not_published(tmp_path):
    """What is not published changes no byte, and every sentence stands on the public page, too."""
    made = []
    for secret in (1, 2):
        folder = Mondrian(k=5, random_state=1).release(people(secret), ROLES).save(tmp_path / str(secret)) / "release"
        summary = summarise_public(folder)
        made.append((to_json(summary), to_croissant(summary, **STATED), to_dcat(summary), to_public_page(summary)))
    assert made[0] == made[1]
    assert b"zebra" not in b"".join(part for part in made[0] if isinstance(part, bytes))
    page = " ".join(Page(made[0][3]).text.split())
    content = json.loads(made[0][0])
    for line in content["cautions"]:
        assert line["text"] in page
    for entry in content["dictionary"]:
        assert entry["role"][1:] in page
        for mark in entry["marks"]:
            assert mark["means"] in page


def test_no_edition_for_programs_has_a_date_or_a_path(summary, tmp_path):
    for content in (to_json(summary), to_croissant(summary), to_dcat(summary)):
        assert not re.search(rb"20\d\d-\d\d-\d\d", content)
        assert str(tmp_path.parent).encode() not in content
        assert b"NaN" not in content
    assert words_of(json.loads(to_json(summary)))
