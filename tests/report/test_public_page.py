# SPDX-License-Identifier: Apache-2.0
"""The public edition: made from the published folder alone, honest about what the promise leaves open."""

import shutil

import numpy as np
import pytest

from discreet import Baskets, GreedySelector, KAdet, Mondrian, Roles, Table
from discreet.release.certificate import Certificate
from discreet.report.cautions import cautions_of
from discreet.report.public_page import summarise_public, to_public_page
from parsed import Page

HOSTILE = '</style><script>alert("x")</script>'


def people(secret=0):
    """Rows whose identifiers and whose column without a role depend on the secret; the rest does not."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 300)
    return Table.of(
        {
            "name": [f"zebra {secret} {place}" for place in range(300)],
            "age": age,
            HOSTILE: rng.choice(["a", HOSTILE], 300),
            "idle": np.random.default_rng(secret).normal(0, 1, 300),
            "y": np.where(age > 50, "yes", "no"),
        }
    )


ROLES = Roles(target="y", quasi=["age", HOSTILE], identifiers=["name"])


def page_of(method, folder, data=None, roles=ROLES):
    out = method.release(people() if data is None else data, roles).save(folder)
    return to_public_page(summarise_public(out / "release"))


def test_whoever_has_the_folder_makes_the_same_page(tmp_path):
    here = page_of(Mondrian(k=5), tmp_path / "out")
    shutil.copytree(tmp_path / "out" / "release", tmp_path / "elsewhere" / "copy")
    shutil.rmtree(tmp_path / "out")
    assert to_public_page(summarise_public(tmp_path / "elsewhere" / "copy")) == here
    assert str(tmp_path) not in here


@pytest.mark.parametrize("method", [Mondrian(k=5, random_state=1), GreedySelector(k=5, random_state=1)])
def test_what_is_not_published_changes_no_byte_of_it(tmp_path, method):
    one, other = (page_of(method, tmp_path / str(secret), people(secret)) for secret in (1, 2))
    assert one == other
    assert "zebra" not in one
    assert "idle" not in one
    assert "seed" not in one


def test_names_and_labels_are_escaped(tmp_path):
    text = page_of(Mondrian(k=5), tmp_path / "out")
    assert "<script" not in text
    assert text.count("</style>") == 1
    assert HOSTILE in Page(text).text


def test_it_says_who_knows_the_label_and_which_groups_tell_it(tmp_path):
    page = Page(page_of(Mondrian(k=5, split="information"), tmp_path / "out"))
    assert "quasi-identifier" in page.text
    assert "all rows have the same label" in page.text
    certificate = summarise_public(tmp_path / "out" / "release")["certificate"]
    assert f"{certificate['groups']['pure_groups']} of {certificate['groups']['groups']} groups: whoever" in page.text
    assert "Here k is 5." in page.text


def test_it_says_what_an_attacker_gets_who_knows_absences(tmp_path):
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((300, 12)) < 0.4).astype(int), rng.integers(0, 2, 300))
    page = Page(page_of(GreedySelector(k=5), tmp_path / "out", baskets, None))
    assert "Somebody who also knows what a person lacks is left with" in page.text


def test_nobody_is_said_to_be_found_among_synthetic_rows(tmp_path):
    page_of(Mondrian(k=5, split="information"), tmp_path / "out")
    summary = summarise_public(tmp_path / "out" / "release")
    noise = {"noise": ({"back end": "any"},)}
    cautions = cautions_of(Certificate.read(tmp_path / "out" / "release").model_copy(update=noise))
    noisy = summary | {"certificate": summary["certificate"] | noise, "cautions": cautions}
    text, other = (Page(to_public_page(one)).text for one in (noisy, summary))
    assert "The published rows are synthetic" in text
    for said in ("picks the right row with a chance of", "knows that a person is in such a group knows the label"):
        assert said in other
        assert said not in text


def test_of_a_model_it_says_that_there_are_no_rows(tmp_path):
    page = Page(page_of(KAdet(k=10), tmp_path / "out"))
    assert "no rows; names" in page.text
    assert not [attrs for _, attrs in page.tags if "chart" in attrs.get("class", "").split()]
