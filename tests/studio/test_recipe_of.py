# SPDX-License-Identifier: Apache-2.0
"""The decisions of a project make a recipe that the commands accept, whatever the shape of the data."""

import pytest

from discreet.studio.project import Project
from discreet.studio.recipe_of import as_toml, release_names
from discreet.studio.server_samples import SAMPLES, take_sample
from discreet.study import recipe_from
from discreet.study.loading import load_dataset


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


def as_recipe(project):
    return recipe_from(as_toml(project.recipe()), name="recipe.toml")


@pytest.mark.parametrize(("name", "shape", "rows"), [("purchases", "transactions", 600), ("notes", "text", 400)])
def test_samples_of_baskets_and_texts_are_read_as_their_recipe_says(project, name, shape, rows):
    take_sample(project, name)
    if shape == "text":
        project.set_role("came_back", "target")
    recipe = as_recipe(project)
    assert project.shape == recipe.source.shape == shape
    dataset = load_dataset(str(project.source.path), recipe.model_dump_json())
    assert (dataset.shape, len(dataset), len(dataset.classes)) == ("baskets", rows, 2)
    names, skipped = release_names(project.recipe(), rows)
    assert "maximal-k5" in names
    assert skipped == {}
    assert set(SAMPLES) == {"clinic", "purchases", "notes"}


def test_l_and_t_are_asked_where_a_column_is_sensitive(project):
    project.journal.decide(("promise", "l"), 2, "l")
    project.journal.decide(("promise", "t"), 0.3, "t")
    assert as_recipe(project).promises.l is None
    project.set_role("ill", "sensitive")
    assert (as_recipe(project).promises.l, as_recipe(project).promises.t) == (2, 0.3)


def test_methods_with_noise_are_offered_with_a_budget_and_public_knowledge(project):
    def offered():
        return [one.section["name"] for one in project.methods() if one.usual]

    assert "private-table" not in offered()
    project.journal.decide(("promise", "epsilon"), 0.5, "epsilon")
    assert "private-table" not in offered()
    project.set_roles({"age": "quasi", "y": "target"}, "Roles.")
    for column in project.published:
        assert "private-table" not in offered()
        project.set_domain({column: {"values": ["a", "b"], "missing": True}}, "domain")
    assert "private-table" in offered()
    assert as_recipe(project).promises.epsilon == (0.5,)
    project.set_shape("columns")
    assert "laplace-select" in offered()
    project.set_shape("text")  # words that people wrote are not public
    assert "laplace-select" not in offered()


def test_another_file_asks_anew_in_one_decision(project, tmp_path):
    for place, lines in (("a.csv", "x,y\n1,2\n"), ("b.dat", "milk tea\nrye\n")):
        stored = project.place_for(place)
        stored.write_text(lines)
        project.take(place, stored)
        if place == "a.csv":
            project.set_roles({"x": "quasi", "y": "target"}, "Suggested.")
    assert (project.shape, project.roles) == ("transactions", {})
    project.journal.undo()
    assert (project.shape, project.roles) == ("table", {"x": "quasi", "y": "target"})
    project.journal.undo()
    assert project.roles == {}
