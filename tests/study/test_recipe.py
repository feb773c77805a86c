# SPDX-License-Identifier: Apache-2.0
"""A recipe is checked before any data is read; what is wrong is named with its line and the nearest right thing."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import samples
from discreet.data.role_suggestions import Suggestion, suggest, suggested_roles
from discreet.errors import DataError
from discreet.foundation.toml_lines import line_of
from discreet.methods import METHODS
from discreet.study import default_methods, first_recipe, read_recipe, recipe_from, schema
from discreet.study.recipe import MethodSection, PromisesSection, Recipe
from json_schema import fits


def problem(text: str) -> str:
    with pytest.raises(DataError) as caught:
        recipe_from("format = 1\n" + text, name="r.toml")
    return str(caught.value)


WRONG = [
    ("[roles]\ntarget = 'a'\nqasi = ['b']", 4, "Did you mean 'quasi'?"),
    ("[rols]\ntarget = 'a'", 2, "Did you mean 'roles'?"),
    ("quasi = ['a']", 2, "'quasi' stands under [roles]."),
    ("[run]\njobs = 1\nattacks = 'prosecutor'", 4, "'attacks' stands at the top of the file"),
    ("[[roles]]\ntarget = 'a'", 2, "roles: must be a table"),
    ("[roles]\ntarget = 3", 3, "must be a text in quotes. Got 3 instead."),
    ("[methods.tds]\nk = 5", 2, "methods: must be a list of tables: [[methods]]"),
    ("methods = ['tds']", 2, "methods: must be a list of tables: [[methods]]"),
    ("[[methods]]\nnam = 'tds'", 2, "name: is missing. Is it meant by 'nam'?"),
    ("[[methods]]\nname = 'mondrain'", 3, "Did you mean 'mondrian'?"),
    ("[[methods]]\nname = 'tds'\n\n[[methods]]\nname = 'kactus2'\nswop = 0.1", 7, "Did you mean 'swap'?"),
    ("[[methods]]\nname = 'tds'\n[run]\njobs = 1\n[[methods]]\nname = 'tds'\nseed = 1", 8, "under [run]."),
    ("methods = [\n{name = 'tds'},\n{name = 'kactus2', swop = 0.1}]", 4, "Did you mean 'swap'?"),
    ("[[methods]]\nname = 'kactus2'\nswap = [0.1, 7]", 4, "must be a number of at least 0 and at most 1"),
    ("[[methods]]\nname = 'kactus2'\nswap = []", 4, "an empty list makes no release"),
    ("[[methods]]\nname = 'private-table'\ndomain = {age = [0, inf]}", 4, "inf and nan are no numbers"),
    ("[[methods]]\nname = 'mondrian'\nsplit = 'medain'", 4, "Did you mean 'median'?"),
    ("[promises]\n# a remark\nk = [5, 1]", 4, "must be 2 or more. Got 1 instead."),
    ("[promises]\nk = [\n5,\n'20']", 5, "must be a whole number. Got '20' instead."),
    ("[promises]\nk = true", 3, "must be a whole number. Got true instead."),
    ("[promises]\nepsilon = 'one'", 3, "must be a number. Got 'one' instead."),
    ("[promises]\nepsilon = 0", 3, "must be more than 0. Got 0 instead."),
    ("[promises]\nk = []", 3, "must name at least one"),
    ("[evaluation]\nprotocols = 'holdot'", 3, "Did you mean 'holdout'?"),
    ("[evaluation]\nclassifiers = ['c45', 'forrest']", 3, "Did you mean 'forest'?"),
    ("[evaluation]\nclassifiers = [1]", 3, "must be a text in quotes. Got 1 instead."),
    ("[evaluation]\nfolds = 'ten'", 3, "must be such as '5-fold'"),
    ("[evaluation]\nprotocols = []", 3, "must name at least one"),
    ("[evaluation]\nclassifiers = []", 3, "must name at least one"),
    ("attacks = ['prosecuter']", 2, "Did you mean 'prosecutor'?"),
    ("[weights]\nprivacy = 0.5\nutilty = 0.5", 4, "Did you mean 'utility'?"),
    ("weights = { utility = 0.5, privacy = 0.1 }", 2, "they sum to 0.6"),
    (
        "[run]\njobs = 1\n[promises]\nk = 5\nl = 2",
        4,
        "promises: l and t are about sensitive columns",
    ),
    ("[run]\njobs = 0", 3, "must be 1 or more. Got 0 instead."),
    ('[source]\nfile = """\nshap = 1"""\nshap = \'table\'', 5, "Did you mean 'shape'?"),
    ("[source.kinds]\nage = 'number'\n'zip]' = 'text'", 4, "must be one of 'number', 'date', 'category'"),
]


@pytest.mark.parametrize(("text", "line", "words"), WRONG)
def test_an_error_names_the_line_and_the_nearest_right_thing(text, line, words):
    said = problem(text)
    assert f"r.toml, line {line}: " in said
    assert words in said


def test_all_errors_are_named_at_once():
    said = problem("[roles]\nqasi = ['b']\n[run]\nsede = 3")
    assert "2 errors" in said
    assert "line 3: roles.qasi" in said
    assert "line 5: run.sede" in said


def test_what_follows_from_an_error_is_no_error():
    assert "2 errors" in problem("[evaluation]\nclassifiers = [1, 2]")


def test_the_format_must_be_said_and_known():
    with pytest.raises(DataError, match="write format = 1"):
        recipe_from("[roles]\ntarget = 'a'")
    for other in ("2", "'1'"):
        with pytest.raises(DataError, match="line 1: format: write format = 1"):
            recipe_from(f"format = {other}")


def test_what_is_not_toml_or_not_there(tmp_path):
    for text, words in (
        ("[roles\n", r"line 2: this is not TOML: expected '\]'"),
        ("attacks = 'all'\nattacks = 'all'", "line 3: this is not TOML: .* A key stands there for the second time"),
        ("[roles]\n[roles]", "line 3: this is not TOML: .* A table stands there for the second time"),
        ("attacks = all", "line 2: this is not TOML: invalid value. Texts stand in quotes"),
        ("attacks =", "line 2: this is not TOML"),
    ):
        with pytest.raises(DataError, match=words):
            recipe_from(f"format = 1\n{text}")
    with pytest.raises(DataError, match="discreet recipe init"):
        read_recipe(tmp_path / "none.toml")


def test_editors_may_write_other_line_ends_and_a_mark_of_the_encoding_but_no_other_encoding(tmp_path):
    path = tmp_path / "r.toml"
    path.write_bytes(b"\xef\xbb\xbfformat = 1\r\n[roles]\r\ntarget = 'ill'\r\n")
    assert read_recipe(path).roles.target == "ill"
    path.write_bytes(b"format = 1\r\n\r\n[rols]\r\n")
    with pytest.raises(DataError, match=r"r\.toml, line 3: rols"):
        read_recipe(path)
    path.write_bytes("format = 1\n[roles]\ntarget = 'Größe'\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"r\.toml, line 3: it is not UTF-8"):
        read_recipe(path)


def test_l_and_t_of_all_releases_are_made_by_methods_that_can():
    promises = PromisesSection(k=5, l=2, t=0.3)
    assert [*MethodSection(name="mondrian").grid(promises)] == [{"k": 5, "l": 2, "t": 0.3}]
    assert [*MethodSection(name="mondrian", t=0.1).grid(promises)] == [{"k": 5, "l": 2, "t": 0.1}]
    assert [*MethodSection(name="kactus").grid(promises)] == [{"k": 5}]


def test_lists_are_grids_and_grids_of_promises_serve_all():
    promises = PromisesSection(k=(5, 20))
    method = MethodSection.model_validate({"name": "kactus2", "swap": [0.0, 0.5], "pool": True})
    assert [*method.grid(promises)] == [{"k": k, "swap": swap, "pool": True} for k in (5, 20) for swap in (0.0, 0.5)]
    own = MethodSection.model_validate({"name": "mondrian", "k": 3})
    assert [*own.grid(promises)] == [{"k": 3}]
    noisy = MethodSection.model_validate({"name": "laplace-select", "n_features": 4})
    assert [*noisy.grid(promises)] == [{"epsilon": 1.0, "n_features": 4}]


def test_a_parameter_that_is_a_list_is_no_grid():
    sketch = MethodSection.model_validate({"name": "delta-sketch", "count_classes": [1, 5]})
    assert [*sketch.grid(PromisesSection())] == [{"delta": 0.4, "count_classes": [1, 5]}]
    method = MethodSection.model_validate({"name": "tds", "quasi_sets": [["age", "sex"], ["zip"]], "k": 5})
    assert [*method.grid(PromisesSection())] == [{"k": 5, "quasi_sets": [["age", "sex"], ["zip"]]}]


def test_parameters_may_have_the_names_of_earlier_versions():
    older = MethodSection.model_validate({"name": "private-fwell", "neighbours": ["ranks", "blocks"]})
    assert [values["strategy"] for values in older.grid(PromisesSection())] == ["ranks", "blocks"]
    now = MethodSection.model_validate({"name": "private-table", "neighbours": "add-remove"})
    assert [*now.grid(PromisesSection())] == [{"epsilon": 1.0, "neighbours": "add-remove"}]


@pytest.mark.parametrize("shape", ["table", "transactions"])
def test_the_recipe_to_begin_with_is_a_recipe(shape, tmp_path):
    table = samples.load("clinic", rows=200, random_state=1).data
    suggestions = suggest(table)
    text = first_recipe("/somewhere/clinic.csv", suggestions if shape == "table" else [], shape)
    assert "somewhere" not in text
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    recipe = read_recipe(tmp_path / "recipe.toml", undecided=True)
    assert recipe.source.file == "clinic.csv"
    assert recipe.methods == default_methods(shape)
    if shape == "table":
        roles = suggested_roles(suggestions)
        assert (recipe.roles.target, recipe.roles.quasi) == (roles.target, roles.quasi)
        assert recipe.roles.decide == ("stay_days",)
        with pytest.raises(DataError, match=r"line \d+: roles.decide: 1 column awaits your decision: 'stay_days'"):
            read_recipe(tmp_path / "recipe.toml")
        assert all("table" in METHODS[method.name].takes for method in recipe.methods)
    else:
        assert all("baskets" in METHODS[method.name].takes for method in recipe.methods)


def test_a_file_whose_name_is_no_text_is_refused():
    with pytest.raises(DataError, match="is not UTF-8, as recipes are"):
        first_recipe("visits-\udce9.dat", [], "transactions")


def test_names_of_columns_cannot_break_out_of_a_remark():
    text = first_recipe(
        "x.csv", [Suggestion("age\n[run]\njobs = 7", "quasi", "two\nlines"), Suggestion("y", "target", "")]
    )
    recipe = recipe_from(text)
    assert recipe.run.jobs == 2
    assert recipe.roles.quasi == ("age\n[run]\njobs = 7",)


def is_marked_by_an_editor(text: str) -> bool:
    found = json.loads(schema())
    return not fits(tomllib.loads(f"format = 1\n{text}"), found, found)


@pytest.mark.parametrize(("text", "line", "words"), WRONG)
def test_an_editor_that_has_the_schema_marks_it_too(text, line, words):
    assert is_marked_by_an_editor(text) != any(
        said in words for said in ("such as", "they sum", "l and t are", "inf and nan")
    )  # which no schema says


@pytest.mark.parametrize(
    "text",
    [
        "",
        "attacks = 'all'\nchoice = 'value'\n[promises]\nk = 5\nepsilon = [1, 0.5]\n[weights]\nutility = 1",
        "[[methods]]\nname = 'mondrian'\nsplit = ['median', 'information']\nk = [5, 9]\nmax_suppressed = 0.1",
        "[[methods]]\nname = 'breach-aware'\nattackers = ['c45', 'part']\nalpha = ['majority', 0.5]",
        "[[methods]]\nname = 'delta-sketch'\ncount_classes = [1, 5]",
        "[evaluation]\nprotocols = 'holdout'\nclassifiers = 'c45'\n[source.kinds]\nage = 'number'",
        "[source]\nnames = ['a', 'b']\nheader = false\n[roles]\nquasi = 'a'\n[run]\nminutes = 2\nseed = 3",
    ],
)
def test_an_editor_marks_nothing_that_is_right(text):
    recipe_from(f"format = 1\n{text}")
    assert not is_marked_by_an_editor(text)


@pytest.mark.parametrize("shape", ["table", "transactions"])
def test_an_editor_marks_nothing_in_the_recipe_to_begin_with(shape):
    suggestions = suggest(samples.load("clinic", rows=200, random_state=1).data) if shape == "table" else []
    found = json.loads(schema())
    assert fits(tomllib.loads(first_recipe("clinic.csv", suggestions, shape)), found, found)


def test_the_schema_knows_what_the_model_knows():
    found = json.loads(schema())
    assert set(found["properties"]) == set(Recipe.model_fields)


names = st.one_of(st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.text("a]#\"\\ =.[{'\n", min_size=1, max_size=4))
values = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.text("ab]}#,\n\"'=[", max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)


def written(value, path, line, wanted, breaks):
    """A value as TOML, and the line that its text ends in; `wanted` gets the lines where things begin."""
    wanted[path] = line
    if isinstance(value, dict):
        parts = []
        for key, inner in value.items():
            text, line = written(inner, (*path, key), line, wanted, breaks)
            parts.append(f"{json.dumps(key)} = {text}")
        return f"{{{', '.join(parts)}}}", line
    if isinstance(value, list):
        text = "["
        for place, inner in enumerate(value):
            if breaks:
                text, line = f"{text}  # ] a remark\n", line + 1
            one, line = written(inner, (*path, place), line, wanted, breaks)
            text += f"{one}, "
        return f"{text}]", line
    if isinstance(value, str) and breaks and "\\" not in value:
        return f'"""\n{json.dumps(value)[1:-1]}"""', line + 1
    return json.dumps(value), line


@given(
    tables=st.dictionaries(names, st.dictionaries(names, values, max_size=4), max_size=3),
    lists=st.lists(st.dictionaries(names, values, max_size=2), max_size=3),
    breaks=st.booleans(),
)
def test_the_line_of_everything_is_found(tables, lists, breaks):
    line, text = 1, ""
    wanted: dict = {}
    whole = [((name,), f"[{json.dumps(name)}]", content) for name, content in tables.items() if name != "list"]
    whole += [(("list", place), "[[list]]", content) for place, content in enumerate(lists)]
    for path, header, content in whole:
        wanted.setdefault(path[:1], line)
        wanted[path] = line
        text, line = f"{text}{header}  # [a] remark\n", line + 1
        for key, value in content.items():
            one, end = written(value, (*path, key), line, wanted, breaks)
            text, line = f"{text}{json.dumps(key)} = {one}\n", end + 1
    tomllib.loads(text)
    for path, where in wanted.items():
        assert line_of(text, path) == where, (text, path)


def test_the_labels_of_transactions_are_those_that_were_named_or_stand_beside_them():
    for named, expected in ((None, "visits.labels"), ("../classes.txt", "../classes.txt")):
        text = first_recipe("some/visits.dat", [], "transactions", labels=named)
        assert recipe_from(text).source.labels == expected
