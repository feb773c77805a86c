# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, Mondrian, Roles, Table
from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.labels import EVERYTHING, MISSING, Labelling, Meaning
from discreet.recoding.patterns import _BLOCK, MOST_PATTERNS, Boxes, EachColumn
from labellings import of_cuts, of_texts

# -- slow twins: one value, one label, one pattern at a time ----------------------------------------------------------


def covers(meaning, value, named):
    if value is None:
        return meaning.missing
    if meaning.interval is not None:
        return meaning.interval[0] <= value < meaning.interval[1]
    text = str(value)
    if meaning.but:
        return text not in meaning.texts
    return text in meaning.texts or (meaning.others and text not in named)


def slow_pattern(boxes, row):
    """The first pattern that the row fits in the most columns; patterns stand in the order of preference."""
    best, most = None, -1
    for place, codes in enumerate(boxes.codes):
        fits = 0
        for labelling, code, value in zip(boxes.columns, codes, row, strict=True):
            named = {text for meaning in labelling.meanings for text in meaning.texts}
            fits += covers(labelling.meanings[code], value, named)
        if fits > most:
            best, most = place, fits
    return best


def slow_label(labelling, value):
    named = {text for meaning in labelling.meanings for text in meaning.texts}
    fitting = [place for place in labelling.by_size if covers(labelling.meanings[place], value, named)]
    return labelling.labels[fitting[0]] if fitting else labelling.fallback


number_meanings = st.one_of(
    st.builds(
        lambda a, b, missing: Meaning.between(min(a, b), max(a, b) + 1, missing=missing),
        st.integers(-1, 6),
        st.integers(-1, 6),
        st.booleans(),
    ),
    st.builds(lambda end: Meaning.between(None, end), st.integers(0, 5)),
    st.builds(lambda end: Meaning.between(end, None, missing=True), st.integers(0, 5)),
)
text_meanings = st.one_of(
    st.builds(Meaning.of, st.sets(st.sampled_from("abcd"), max_size=3), others=st.booleans(), missing=st.booleans()),
    st.builds(
        lambda texts, missing: Meaning(texts=frozenset(texts), but=True, missing=missing),
        st.sets(st.sampled_from("abcd"), max_size=3),
        st.booleans(),
    ),
)


def labelling(name, kind, meanings):
    meanings = [*meanings, EVERYTHING, MISSING]
    labels = [f"{name}{place}" for place in range(len(meanings) - 2)]
    return Labelling(name, kind, (*labels, "*", None), tuple(meanings))


@st.composite
def cases(draw):
    kinds = draw(st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=4))
    columns, rows = [], draw(st.integers(1, 12))
    data = {}
    for place, kind in enumerate(kinds):
        meanings = number_meanings if kind == "number" else text_meanings
        columns.append(labelling(f"c{place}", kind, draw(st.lists(meanings, max_size=4))))
        values = st.integers(-2, 7) if kind == "number" else st.sampled_from("abcdefg")
        data[f"c{place}"] = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
    pattern = st.tuples(*(st.integers(0, len(column.labels) - 1) for column in columns))
    return columns, draw(st.lists(pattern, min_size=1, max_size=90)), data


@settings(max_examples=150, deadline=None)
@given(cases())
def test_rows_are_written_as_the_slow_twin_writes_them(case):
    columns, patterns, data = case
    boxes = Boxes.of(columns, patterns)
    table = Table.of(data, kinds={column.name: column.kind for column in columns})
    rows = list(zip(*data.values(), strict=True))
    assert boxes.patterns(table).tolist() == [slow_pattern(boxes, row) for row in rows]
    plan = EachColumn(tuple(columns))
    for column in columns:
        written = plan.apply(table)[column.name][0].to_arrow().to_pylist()
        assert written == [slow_label(column, value) for value in data[column.name]]


@settings(max_examples=100, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_patterns_stand_in_an_order_that_depends_on_nothing_but_them(case, random):
    columns, patterns, _ = case
    one = Boxes.of(columns, patterns)
    shuffled = list(range(len(columns)))
    random.shuffle(shuffled)
    again = random.sample(patterns, len(patterns))
    other = Boxes.of([columns[c] for c in shuffled], [[pattern[c] for c in shuffled] for pattern in again])
    back = np.argsort(shuffled)
    assert [other.columns[c] for c in back] == list(one.columns)
    assert other.codes[:, back].tolist() == one.codes.tolist()
    stars = np.sum([column.is_suppressed[one.codes[:, c]] for c, column in enumerate(one.columns)], axis=0).tolist()
    assert stars == sorted(stars)


def test_more_patterns_than_fit_into_a_block():
    n = 3 * _BLOCK + 5
    age = Labelling("age", "number", tuple(map(str, range(n))), tuple(Meaning.between(i, i + 1) for i in range(n)))
    boxes = Boxes.of([age], [[i] for i in range(n)])
    rows = np.random.default_rng(1).integers(0, n, 500)
    assert boxes.apply(Table.of({"age": rows}))["age"][0].to_arrow().to_pylist() == [str(row) for row in rows]
    assert boxes.apply(Table.of({"age": [-5.0]}))["age"][0].to_arrow().to_pylist() == ["0"]  # fits none: the first


def test_many_columns_are_counted():
    columns = [of_texts(f"c{i}", ["a", "b"]) for i in range(300)]
    boxes = Boxes.of(columns, [[0] * 300, [1] * 300])
    table = Table.of({f"c{i}": ["a" if i < 140 else "b", "a" if i < 160 else "b"] for i in range(300)})
    assert [boxes.columns[0].labels[boxes.codes[pattern, 0]] for pattern in boxes.patterns(table)] == ["b", "a"]


def test_the_most_specific_pattern_wins():
    sex, age = of_texts("sex", ["f", "m", "*"]), of_cuts("age", [30, 40, 50])
    wide = Labelling(age.name, age.kind, (*age.labels, ">= 30"), (*age.meanings, Meaning.between(30, None)))
    boxes = Boxes.of((sex, wide), [[2, 5], [2, 6], [0, 6], [0, 1]])
    written = boxes.apply(Table.of({"sex": ["f", "f", "m", None], "age": [35, 90, 35, 12]}))
    assert written["sex"][0].to_arrow().to_pylist() == ["f", "f", "*", "*"]
    assert written["age"][0].to_arrow().to_pylist() == ["[30, 40)", ">= 30", ">= 30", "*"]


def test_patterns_are_kept_once_and_labels_that_no_pattern_has_are_left_out():
    sex, town = of_texts("sex", ["f", "m", "*"]), of_texts("town", ["x", None, "*"])
    boxes = Boxes.of([sex, town], [[0, 0], [0, 0], [2, 2], [2, 1]])
    assert len(boxes) == 3
    assert boxes.columns[0].labels == ("*", "f")


def test_labels_and_patterns_that_are_not_in_a_table_are_left_out():
    sex, town = of_texts("sex", ["f", "m"]), of_texts("town", ["x", "y"])
    table = Table.of({"town": ["x", "y"], "sex": ["f", "f"]})
    boxes = Boxes.of([sex, town], [[0, 0], [1, 1], [0, 1]]).within(table)
    assert [column.name for column in boxes.columns] == ["town", "sex"]
    assert len(boxes) == 2
    each = EachColumn((sex, town)).within(table)
    assert [column.labels for column in each.columns] == [("x", "y"), ("f",)]


def test_a_kind_that_changed_is_refused():
    plan = EachColumn((of_cuts("age", [40]),))
    with pytest.raises(DataError, match="'age' was released as a number, but here it is a category with 2 different"):
        plan.apply(Table.of({"age": ["x", "y"]}))
    assert plan.apply(Table.of({"age": [None, None]}))["age"][0].to_arrow().to_pylist() == [None, None]
    codes = EachColumn((of_texts("zip", ["101", "102"]),))  # numbers are fine where texts were
    assert codes.apply(Table.of({"zip": [101, 103]}))["zip"][0].to_arrow().to_pylist() == ["101", "*"]


def test_labels_of_a_value_tree():
    paths = (("a", "{a, +2}", "*"), ("b", "{a, +2}", "*"), ("rare", "{a, +2}", "*"), ("d", "d", "*"))
    tree = Hierarchy("town", ("a", "b", "rare", "d"), paths)
    plan = EachColumn((Labelling.of_hierarchy(tree, "category", ["a", "b", "d"], ["{a, +2}", "d", None]),))
    written = plan.apply(Table.of({"town": ["a", "b", "rare", "d", "new", None]}))["town"][0]
    assert written.to_arrow().to_pylist() == ["{a, +2}", "{a, +2}", "*", "d", "*", None]
    assert "rare" not in str(plan)


@pytest.mark.parametrize(
    ("label", "kind", "interval"),
    [
        ("[0, 10)", "number", (0, 10)),
        ("[30, 40)", "number", None),  # its leaf lies elsewhere
        ("< 2.5", "number", (-np.inf, 2.5)),
        (">= -3", "number", (-3, np.inf)),
        ("[1970-01-02, 1970-01-03 12:00:00)", "date", (1, 2.5)),
        ("30", "number", None),
        ("< many", "number", None),
        ("[40, 30)", "number", None),
    ],
)
def test_labels_of_a_value_tree_that_read_as_intervals_mean_them(label, kind, interval):
    tree = Hierarchy("x", ("1",), (("1", label, "*"),))
    meaning = Labelling.of_hierarchy(tree, kind, ["1"], [label]).meanings[0]
    assert meaning == (Meaning(interval) if interval else Meaning.of(["1"]))


def test_leaves_that_are_intervals():
    paths = (("< 2", "low", "*"), ("[2, 3)", "low", "*"), (">= 3", ">= 3", "*"))
    tree = Hierarchy("x", ("< 2", "[2, 3)", ">= 3"), paths, cuts=(2, 3))
    known = Labelling.of_hierarchy(tree, "number", [], ["low", ">= 3", "*"])
    assert known.meanings == (Meaning.between(None, 3), Meaning.between(3, None), EVERYTHING)


def test_two_intervals_written_alike_are_one_label():
    twice = Labelling("d", "date", ("x", "x"), (Meaning.between(1, 2), Meaning.between(2, 3, missing=True)))
    (tidied, places) = twice.tidy([0, 1])
    assert tidied.meanings == (Meaning.between(1, 3, missing=True),)
    assert places.tolist() == [0, 0]
    assert (Meaning.of(["a"]) | Meaning.of(["b"])) == EVERYTHING


def test_a_release_of_too_many_patterns_has_no_record():
    n = 1 << 17  # halved down to pairs
    assert n / 2 > MOST_PATTERNS
    table = {"x": np.arange(n), "y": np.arange(n) % 2}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["x"]))
    assert release.record is None
    assert len(release.owner.notes) == 1
    assert "patterns, too many for a published record" in release.owner.notes[0]
