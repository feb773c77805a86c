# SPDX-License-Identifier: Apache-2.0
"""Beside the roles, at once: what each column and each pair of columns adds; then the risk, in the population too."""

import html
import re
import time

import pytest

from discreet.risk.inspection import inspect_table
from discreet.samples import load

COLUMNS = ("age", "sex", "zip", "marital")


@pytest.fixture
def own(at_home):
    project = at_home.studio.project
    stored = project.place_for("clinic.csv")
    load("clinic", rows=300, random_state=3).data.write(stored, "csv", input_again=True)
    project.take("clinic.csv", stored)
    project.set_roles(dict.fromkeys(COLUMNS, "quasi") | {"readmitted": "target"}, "Roles.")
    return at_home


def part(own, address):
    for _ in range(300):
        text = own.get(address).text
        if 'class="coming"' not in text:
            return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", text).split()))
        time.sleep(0.1)
    raise AssertionError("no answer")


def test_columns_and_pairs_are_weighed_as_the_library_weighs_them(own):
    said = part(own, "/roles/risk")
    found = inspect_table(own.studio.project.source.path, quasi=COLUMNS)
    assert f"{found.risk.unique} of 300 rows" in said
    alone = {one.name: one.tells.alone for one in found.columns}
    for change in found.changes:
        assert f" {change.column} {alone[change.column]} {change.without} " in said
    pairs = [one for one in found.singling.sets if len(one.columns) == 2]
    assert pairs
    for pair in pairs[:8]:
        assert f"{' + '.join(pair.columns)} {pair.rows}" in said


def test_they_are_weighed_anew_when_a_role_is_given(own):
    before = part(own, "/roles/risk")
    answer = own.post("/roles/of", data={"column": "admitted", "role": "quasi"})
    assert answer.headers["HX-Trigger"] == "decided"  # which the page waits for
    assert 'hx-trigger="load, decided from:body"' in own.get("/roles").text
    after = part(own, "/roles/risk")
    assert "admitted" in after.split("What each column adds")[1]
    assert after != before


def test_a_column_that_takes_the_target_away_from_another_leaves_that_one_to_be_decided(own):
    answer = own.post("/roles/of", data={"column": "diagnosis", "role": "target"})
    assert answer.headers["HX-Refresh"] == "true"
    assert "readmitted" not in own.studio.project.roles
    assert "To decide under Roles" in part(own, "/compare/progress")
    assert own.post("/roles/of", data={"column": "nobody", "role": "quasi"}).status_code == 422
    assert own.post("/roles/of", data={"column": "age", "role": "king"}).status_code == 422


def test_the_population_is_estimated_when_its_share_is_known(own):
    said = part(own, "/risk/found")
    assert "Group sizes" in said
    assert "Which columns make people stand out" in said
    assert "Not estimated" in said
    assert own.post("/risk/fraction", data={"percent": "2,5"}).status_code == 200
    said = part(own, "/risk/found")
    assert "Not estimated" not in said
    assert "Alone among them" in said
    for wrong in ("0", "101", "many"):
        assert own.post("/risk/fraction", data={"percent": wrong}).status_code == 422
