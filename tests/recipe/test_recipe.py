# SPDX-License-Identifier: Apache-2.0
"""A recipe is checked before any data is read; what is wrong is named with its line and the nearest right thing."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import samples
from discreet.data.roles import Suggestion, suggest, suggested_roles
from discreet.errors import DataError
from discreet.methods import METHODS
from discreet.recipe import Recipe, read_recipe, recipe_from
from discreet.recipe.lines import line_of
from discreet.recipe.model import MethodOf, Promises
from discreet.recipe.write import default_methods, first_recipe, schema


def problem(text: str) -> str:
    with pytest.raises(DataError) as caught:
        recipe_from("format = 1\n" + text, name="r.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[roles]\ntarget = 'a'\nqasi = ['b']", 4, "Did you mean 'quasi'?"),
        ("[rols]\ntarget = 'a'", 2, "Did you mean 'roles'?"),
        ("[[methods]]\nname = 'mondrain'", 3, "Did you mean 'mondrian'?"),
        ("[[methods]]\nname = 'tds'\n\n[[methods]]\nname = 'kactus2'\nswop = 0.1", 7, "Did you mean 'swap'?"),
        ("[[methods]]\nname = 'kactus2'\nswap = [0.1, 7]", 4, "must be a float in the range [0, 1]"),
        ("[promises]\n# a remark\nk = [5, 1]", 4, "greater than or equal to 2"),
        ("[evaluation]\nprotocols = 'holdot'", 3, "Did you mean 'holdout'?"),
        ("[evaluation]\nclassifiers = ['c45', 'forrest']", 3, "Did you mean 'forest'?"),
        ("[evaluation]\nfolds = 'ten'", 3, "must be such as '5-fold'"),
        ("[evaluation]\nprotocols = []", 3, "at least 1 item"),
        ("[evaluation]\nclassifiers = []", 3, "at least 1 item"),
        ("[promises]\nk = []", 3, "at least 1 item"),
        ("attacks = ['prosecuter']", 2, "Did you mean 'prosecutor'?"),
        ("weights = { utilty = 1.0 }", 2, "Did you mean 'utility'?"),
        ("weights = { utility = 0.5, privacy = 0.1 }", 2, "they sum to 0.6"),
        ("[run]\njobs = 0", 3, "greater than or equal to 1"),
    ],
)
def test_an_error_names_the_line_and_the_nearest_right_thing(text, line, words):
    said = problem(text)
    assert f"r.toml, line {line}: " in said
    assert words in said


def test_all_errors_are_named_at_once():
    said = problem("[roles]\nqasi = ['b']\n[run]\nsede = 3")
    assert "2 errors" in said
    assert "line 3: roles.qasi" in said
    assert "line 5: run.sede" in said


def test_the_format_must_be_said_and_known():
    with pytest.raises(DataError, match="write format = 1"):
        recipe_from("[roles]\ntarget = 'a'")
    with pytest.raises(DataError, match="must be one of '1'"):
        recipe_from("format = 2")


def test_what_is_not_toml_or_not_there(tmp_path):
    with pytest.raises(DataError, match=r"is not TOML: .*line 2"):
        recipe_from("format = 1\n[roles\n")
    with pytest.raises(DataError, match="discreet recipe init"):
        read_recipe(tmp_path / "none.toml")


def test_lists_are_grids_and_grids_of_promises_serve_all():
    promises = Promises(k=(5, 20))
    method = MethodOf.model_validate({"name": "kactus2", "swap": [0.0, 0.5], "pool": True})
    assert [*method.grid(promises)] == [{"k": k, "swap": swap, "pool": True} for k in (5, 20) for swap in (0.0, 0.5)]
    own = MethodOf.model_validate({"name": "mondrian", "k": 3})
    assert [*own.grid(promises)] == [{"k": 3}]
    noisy = MethodOf.model_validate({"name": "laplace-select", "n_features": 4})
    assert [*noisy.grid(promises)] == [{"epsilon": 1.0, "n_features": 4}]


def test_a_parameter_that_is_a_list_is_no_grid():
    method = MethodOf.model_validate({"name": "tds", "quasi_sets": [["age", "sex"], ["zip"]], "k": 5})
    assert [*method.grid(Promises())] == [{"k": 5, "quasi_sets": [["age", "sex"], ["zip"]]}]


@pytest.mark.parametrize("shape", ["table", "transactions"])
def test_the_recipe_to_begin_with_is_a_recipe(shape, tmp_path):
    table = samples.load("clinic", rows=200, seed=1).data
    suggestions = suggest(table)
    text = first_recipe("/somewhere/clinic.csv", suggestions if shape == "table" else [], shape)
    assert "somewhere" not in text
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    recipe = read_recipe(tmp_path / "recipe.toml")
    assert recipe.source.file == "clinic.csv"
    assert recipe.methods == default_methods(shape)
    if shape == "table":
        roles = suggested_roles(suggestions)
        assert (recipe.roles.target, recipe.roles.quasi) == (roles.target, roles.quasi)
        assert all("table" in METHODS[method.name].takes for method in recipe.methods)
    else:
        assert all("baskets" in METHODS[method.name].takes for method in recipe.methods)


def test_names_of_columns_cannot_break_out_of_a_remark():
    text = first_recipe(
        "x.csv", [Suggestion("age\n[run]\njobs = 7", "quasi", "two\nlines"), Suggestion("y", "target", "")]
    )
    recipe = recipe_from(text)
    assert recipe.run.jobs == 2
    assert recipe.roles.quasi == ("age\n[run]\njobs = 7",)


def test_the_schema_knows_what_the_model_knows():
    found = json.loads(schema())
    assert set(found["properties"]) == set(Recipe.model_fields)
    assert "mondrian" in json.dumps(found)


names = st.from_regex(r"[a-z]{1,6}", fullmatch=True)


@given(
    tables=st.lists(st.tuples(names, st.lists(names, unique=True, max_size=4)), max_size=5, unique_by=lambda t: t[0])
)
def test_lines_of_all_keys_are_found(tables):
    text, wanted = "", {}
    for table, keys in tables:
        text += f"\n[{table}]  # a remark\n"
        for key in keys:
            text += f"{key} = [1,\n  2]\n"
            wanted[table, key] = text.count("\n") - 1
    tomllib.loads(text)
    for path, line in wanted.items():
        assert line_of(text, path) == line


def test_the_labels_of_transactions_are_those_that_were_named_or_stand_beside_them():
    for named, expected in ((None, "visits.labels"), ("../classes.txt", "../classes.txt")):
        text = first_recipe("some/visits.dat", [], "transactions", labels=named)
        assert recipe_from(text).source.labels == expected
