# SPDX-License-Identifier: Apache-2.0
"""The pictures of a choice as specifications: complete, described, told apart by shape as well as by colour."""

import json

import pytest

from discreet.choose import Candidate, Criterion, Measure, choose
from discreet.choose.quadrants import REGIONS, regions
from discreet.report.choice_page import pictures, ratios, summarise_choice, to_page
from discreet.report.placing import sides_of
from discreet.report.plots import (
    COLOURS,
    PERCENT,
    SHAPES,
    front_plot,
    near_front,
    ratio_plot,
    region_plot,
    rows,
    signs,
    within,
)
from discreet.report.study_plots import sensitivity_plot

MEANINGS = {"pbi": Measure(title="Breach increase", unit="%", higher_is_better=False)}
ROWS = {"baseline": (73.7, 0, 8), "a": (74.2, 0.9, 5), "b": (73.1, -1.0, 2), "c": (74.0, -0.2, 4), "d": (73.0, 0.5, 5)}
CANDIDATES = [
    Candidate(name, {"performance": p, "pbi": b, "size": s}, meanings=MEANINGS) for name, (p, b, s) in ROWS.items()
]


@pytest.fixture
def choice():
    return choose(CANDIDATES, {"performance": 0.5, "pbi": 0.25, "size": 0.25})


def encodings(spec):
    return [layer["encoding"] for layer in spec["layer"]]


def test_the_four_regions_and_their_borders(choice):
    performance, pbi, _ = choice.evaluation.criteria
    assert regions(performance, pbi, 0) == ("IV", "II", "III", "IV", "I")
    same = Criterion("x", [1, 1])
    assert regions(same, same, 0) == ("IV", "IV")  # the borders belong to the good side


def test_the_plot_of_regions(choice):
    spec = region_plot(choice, "performance", "pbi", "baseline")
    found = {value["name"]: value["region"].split(":")[0] for value in spec["data"]["values"]}
    assert found == {"baseline": "IV", "a": "II", "b": "III", "c": "IV", "d": "I"}
    corners = {
        layer["data"]["values"][0]["of"]: (layer["encoding"]["x"], layer["encoding"]["y"])
        for layer in spec["layer"]
        if "of" in layer.get("data", {}).get("values", [{}])[0]
    }
    right, left, top, bottom = {"value": "width"}, {"value": 0}, {"value": 0}, {"value": "height"}
    # a smaller breach increase is better, so III and IV lie below
    assert corners == {"I": (left, top), "II": (right, top), "III": (left, bottom), "IV": (right, bottom)}
    rules = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert all(layer["data"]["values"][0]["name"] == "baseline" for layer in rules)
    assert "The baseline, baseline, has performance 73.7 and pbi 0." in spec["description"]
    assert "I: less useful, less private: d;" in spec["description"]


def test_axes_have_titles_with_units_and_a_way(choice):
    spec = region_plot(choice, "performance", "pbi", "baseline")
    drawn = next(encoding for encoding in encodings(spec) if "color" in encoding)
    assert drawn["x"]["title"] == "Performance, more is better"
    assert drawn["y"]["title"] == "Breach increase (%), less is better"


def test_the_plot_of_the_front(choice):
    spec = front_plot(choice, "performance", "pbi")
    states = {value["name"]: value["state"] for value in spec["data"]["values"]}
    assert states["d"] == states["baseline"] == "another is better"
    assert states[choice.best.name] == "chosen by the weights"
    assert f"The best is {choice.best.name}." in spec["description"]
    assert not [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]  # three criteria: no line


MANY = [
    Candidate(f"a-method-k{i}", {"performance": 80 + i % 9, "pbi": (7 * i) % 45, "size": 1 + i % 5}) for i in range(45)
]


def test_no_measure_is_written_over(choice):
    for picture in pictures(choice, "baseline")[1:]:
        for value in picture["spec"]["data"]["values"]:
            measures = next(c.measures for c in CANDIDATES if c.name == value["name"])
            assert {name: value[name] for name in measures} == measures


def test_of_many_releases_few_are_named_and_no_name_covers_a_point_or_a_name():
    spec = front_plot(choose(MANY, {"performance": 0.5, "pbi": 0.25, "size": 0.25}), "performance", "pbi")
    named = [
        name
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text"
        for name in layer["transform"][0]["filter"]["oneOf"]
    ]
    assert 1 <= len(named) == len(set(named)) <= 8
    assert spec["data"]["values"][-1]["state"] == "chosen by the weights"  # drawn last, so on top
    assert spec["data"]["values"][-1]["_area"] == max(value["_area"] for value in spec["data"]["values"])
    legend = next(e for e in encodings(spec) if "color" in e)["color"]["scale"]["domain"]
    assert set(legend) == {value["state"] for value in spec["data"]["values"]}  # no sign without a point


def test_the_scores_of_the_first_twenty_and_of_every_best_are_drawn():
    choices = ratios(choose(MANY, {"performance": 0.5, "pbi": 0.25, "size": 0.25}))
    spec = ratio_plot(choices)
    rows = encodings(spec)[0]["y"]["sort"]
    assert 20 <= len(rows) <= 24
    assert spec["description"].startswith(f"Scores of {len(rows)} of 45 candidates")
    assert {choice.best.name for choice in choices.values()} <= {row.split(". ")[1] for row in rows}


def test_names_of_rows_stand_above_them():
    y, names = rows("who", ["a", "a much longer name than fits beside a row of a phone"])
    assert y["axis"]["labels"] is False
    assert names["encoding"]["x"] == {"value": 0}
    assert [value["who"] for value in names["data"]["values"]] == y["sort"]
    assert names["mark"]["dy"] < 0


@pytest.mark.parametrize("n", [1, 6, 7, 20, 36])
def test_no_two_signs_have_colour_and_shape_in_common(n):
    assert len(set(zip(*signs(n), strict=True))) == n


def test_ten_methods_are_told_apart_in_the_plot_of_k():
    lines = [{"method": f"m{i}", "k": k, "utility": i / 10} for i in range(10) for k in (5, 20)]
    drawn = next(e for e in encodings(sensitivity_plot(lines, "utility", "Accuracy", 0.9)) if "shape" in e)
    pairs = zip(drawn["color"]["scale"]["range"], drawn["shape"]["scale"]["range"], strict=True)
    assert len(set(pairs)) == 10


def test_a_narrow_front_is_drawn_closer():
    far = [Candidate(f"far{i}", {"performance": 10 + i, "pbi": 50 + i}) for i in range(6)]
    near = [Candidate(f"near{i}", {"performance": 80 + i, "pbi": 1 + i}) for i in range(3)]
    lower = Candidate("lower", {"performance": 80.5, "pbi": 2.5})
    meanings = {"pbi": Measure(higher_is_better=False)}
    found = choose([*far, *near, lower], {"performance": 0.5, "pbi": 0.5}, measures=meanings)
    assert {found.candidates[i].name for i in near_front(found, "performance", "pbi")} == {
        *(c.name for c in near),
        "lower",
    }
    spec = front_plot(found, "performance", "pbi", closer=True)
    assert len(spec["data"]["values"]) == 4
    wide = choose(near, {"performance": 0.5, "pbi": 0.5}, measures=meanings)
    assert not near_front(wide, "performance", "pbi")


def test_the_original_is_a_line_in_the_front_plot(choice):
    spec = front_plot(choice, "performance", "pbi", original=73.7)
    (rule,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    assert rule["data"]["values"] == [{"performance": 73.7}]
    assert "y" not in rule["encoding"]


def sides(points):
    """The sides of names of points: (x, y, whether it has a name), on a picture from 0 to 10."""
    corners = [(0, 0, False), (10, 10, False)]
    values = [
        {"name": str(place), "a": x, "b": y, "label": "abcdef" if named else ""}
        for place, (x, y, named) in enumerate([*corners, *points])
    ]
    return [*sides_of(values, "a", "b").values()]


def test_names_stand_where_they_cover_least():
    above, right, below = (5, 5.6, False), (5.9, 5, False), (5, 4.4, False)
    upper = (5.9, 5.5, False), (4.1, 5.5, False)
    assert sides([(5, 5, True)]) == ["above"]
    assert sides([(5, 5, True), above]) == ["above, right"]
    assert sides([(5, 5, True), above, *upper]) == ["right"]
    assert sides([(5, 5, True), above, *upper, right]) == ["left"]
    assert sides([(5, 5, True), above, *upper, right, (4.1, 5, False)]) == ["below"]
    assert sides([(5, 5, True), below]) == ["above"]
    assert sides([(10, 5, True), (10, 5.6, False)]) == ["above, left"]  # on the right there is no room
    assert sides([(5, 5, True), (5.2, 5, True)]) == ["above", "right"]  # nor do names cover each other


def test_the_names_of_points_are_drawn_once(choice):
    for spec in (front_plot(choice, "performance", "pbi"), region_plot(choice, "performance", "pbi", "baseline")):
        texts = [layer for layer in spec["layer"] if layer["encoding"].get("text") == {"field": "label"}]
        drawn = [name for layer in texts for name in layer["transform"][0]["filter"]["oneOf"]]
        assert sorted(drawn) == sorted(value["name"] for value in spec["data"]["values"] if value["label"])


def test_an_axis_names_nothing_beyond_the_limits_of_its_measure():
    """Of 100 persons there are no 102."""
    limited = within((0.0, 100.0), 24)
    assert limited["axis"]["labelExpr"] == "datum.value < 0.0 || datum.value > 100.0 ? '' : datum.label"
    assert limited["scale"]["nice"] is False
    assert "axis" not in within(None, 24)


def test_the_ends_of_a_scale_hide_no_number():
    """A scale is (worst, best): numbers beyond its ends may occur; beyond the limits of their unit they cannot."""
    meanings = {
        "utility": Measure(unit="share", scale=(0.5, 0.75)),
        "risk": Measure(unit="of 100", higher_is_better=False, scale=(100.0, 0.0)),
        "size": Measure(higher_is_better=False),
    }
    rows = {"a": (0.77, 4, 6), "b": (0.7, 16, 6)}
    some = [Candidate(n, dict(zip(meanings, row, strict=True)), meanings=meanings) for n, row in rows.items()]
    chosen = choose(some, {"utility": 0.5, "risk": 0.25, "size": 0.25})
    points = next(e for e in encodings(front_plot(chosen, "utility", "risk")) if "color" in e)
    assert points["x"]["axis"]["labelExpr"] == f"datum.value < 0.0 || datum.value > 1.0 ? '' : {PERCENT}"
    assert points["y"]["axis"]["labelExpr"] == "datum.value < 0.0 || datum.value > 100.0 ? '' : datum.label"
    alike = next(e for e in encodings(front_plot(chosen, "utility", "size")) if "color" in e)
    assert alike["y"]["scale"]["domain"] == [pytest.approx(5.4), pytest.approx(6.6)]


def test_regions_are_those_of_utility_and_privacy():
    def titles(weights, baseline="baseline"):
        return {p["title"]: p["spec"] for p in pictures(choose(CANDIDATES, weights), baseline)}

    turned = titles({"size": 0.25, "pbi": 0.25, "performance": 0.5})["Beside the baseline"]
    drawn = next(encoding for encoding in encodings(turned) if "color" in encoding)
    assert (drawn["x"]["field"], drawn["y"]["field"]) == ("performance", "pbi")
    assert "Beside the baseline" not in titles({"performance": 0.5, "size": 0.5})
    assert "Beside the baseline" not in titles({"performance": 0.5, "pbi": 0.5}, None)


def test_a_front_of_one_does_not_bend():
    alone = [Candidate("a", {"performance": 2, "pbi": 0}), Candidate("b", {"performance": 1, "pbi": 1})]
    found = choose(alone, {"performance": 0.5, "pbi": 0.5})
    page = to_page(summarise_choice(found, name="x"), [])
    assert "No other is better on any measure with a weight." in page
    assert "It bends" not in page
    assert "It bends most at" in to_page(
        summarise_choice(choose(CANDIDATES, {"performance": 0.5, "pbi": 0.5}), name="x"), []
    )


def test_the_front_of_two_criteria_is_a_line():
    spec = front_plot(choose(CANDIDATES, {"performance": 0.5, "pbi": 0.5}), "performance", "pbi")
    (line,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert [value["name"] for value in line["data"]["values"]] == ["a", "b", "c"]


def test_the_plot_of_weights(choice):
    spec = ratio_plot(ratios(choice))
    values = spec["data"]["values"]
    kinds = ["as asked", "equal", "mostly performance", "mostly pbi", "mostly size"]
    assert list(dict.fromkeys(value["weights"] for value in values)) == kinds
    assert len(values) == 5 * 5
    for kind, judged in ratios(choice).items():
        (best,) = [value["name"] for value in values if value["weights"] == kind and value["best"]]
        assert best == judged.best.name
    y = encodings(spec)[0]["y"]
    assert y["sort"] == [f"{place}. {c.name}" for place, c in enumerate(choice.ranking, start=1)]


def test_one_criterion_has_no_ratios():
    assert list(ratios(choose(CANDIDATES, {"performance": 1}))) == ["as asked"]


def test_a_shape_says_what_a_colour_says(choice):
    specs = [picture["spec"] for picture in pictures(choice, "baseline")]
    assert len(specs) == 5  # weights, regions, three pairs
    for spec in specs:
        drawn = next(encoding for encoding in encodings(spec) if "color" in encoding)
        assert drawn["color"]["field"] == drawn["shape"]["field"]
        assert drawn["color"]["scale"]["domain"] == drawn["shape"]["scale"]["domain"]
        assert len(set(drawn["color"]["scale"]["range"])) >= len(drawn["color"]["scale"]["domain"])
    assert len(set(COLOURS)) == len(set(SHAPES)) == 6
    assert len(REGIONS) <= 6


def test_without_a_baseline_there_are_no_regions(choice):
    titles = [picture["title"] for picture in pictures(choice)]
    assert "Beside the baseline" not in titles
    assert [picture["title"] for picture in pictures(choice, "nobody")] == titles


def test_a_long_description_stops(choice):
    many = [Candidate(f"c{i}", {"performance": i, "pbi": i, "size": 1}) for i in range(30)]
    spec = front_plot(choose(many, {"performance": 0.5, "pbi": 0.5}), "performance", "pbi")
    assert "and 10 more" in spec["description"]


def test_specifications_are_plain_json(choice):
    for picture in pictures(choice, "baseline"):
        assert json.loads(json.dumps(picture["spec"])) == picture["spec"]


def test_the_page_quotes_names_safely():
    bad = "</script><img src=x onerror=alert(1)>"
    candidates = [Candidate(bad, {"utility": 1, "size": 2}), Candidate("b", {"utility": 2, "size": 3})]
    found = choose(candidates, {"utility": 0.5, "size": 0.5})
    page = to_page(summarise_choice(found, name=bad), pictures(found))
    assert bad not in page
    assert "<img" not in page
    assert page.count("</script>") == 5  # the specifications, three libraries, the few lines that draw


def test_a_front_of_one_measure_bends_nowhere(choice):
    single = choose(CANDIDATES, {"performance": 1, "pbi": 0, "size": 0})
    page = to_page(summarise_choice(single, name="study"), pictures(single))
    assert "Only one measure has a weight: its best candidates are the front." in page
    assert "It bends most at" not in page
    assert "It bends most at" in to_page(summarise_choice(choice, name="study"), pictures(choice))


def test_the_summary_says_what_was_chosen(choice):
    found = summarise_choice(choice, name="study", left_out=("x",))
    assert json.loads(json.dumps(found)) == found
    assert found["best"] == choice.best.name == found["ranking"][0]["name"]
    assert found["second"] == found["ranking"][1]["name"]
    assert found["left_out"] == ["x"]
    assert {row["name"] for row in found["ranking"] if row["on_front"]} == {c.name for c in choice.front}


def test_intervals_are_lines_where_they_are_known():
    meanings = {"utility": Measure(unit="share"), "privacy": Measure(unit="of 100")}
    some = [
        Candidate(name, dict(zip(meanings, row, strict=True)), meanings=meanings)
        for name, row in {"a": (0.77, 90), "b": (0.7, 95)}.items()
    ]
    chosen = choose(some, {"utility": 0.5, "privacy": 0.5})
    spans = {"a": {"utility_low": 0.7, "utility_high": 0.8}, "b": {"privacy_low": 94.0, "privacy_high": 96.0}}
    layers = front_plot(chosen, "utility", "privacy", spans=spans)["layer"]
    across = next(layer for layer in layers if layer["encoding"].get("x2") == {"field": "utility_high"})
    upright = next(layer for layer in layers if layer["encoding"].get("y2") == {"field": "privacy_high"})
    assert [value["name"] for value in across["data"]["values"]] == ["a"]
    assert [value["name"] for value in upright["data"]["values"]] == ["b"]
    assert not [layer for layer in front_plot(chosen, "utility", "privacy")["layer"] if "x2" in layer["encoding"]]
    lines = [{"method": "m", "k": k, "utility": 0.7, "utility_low": 0.6, "utility_high": 0.8} for k in (5, 20)]
    (drawn,) = [e for e in encodings(sensitivity_plot(lines, "utility", "Accuracy", None)) if "y2" in e]
    assert (drawn["y"]["field"], drawn["y2"]["field"], drawn["x"]["field"]) == ("utility_low", "utility_high", "k")
