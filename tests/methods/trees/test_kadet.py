# SPDX-License-Identifier: Apache-2.0
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from checks_models import members, smallest
from discreet import CannotRelease, DataError, KAdet, Roles, RolesError, load_model, recode, verify
from discreet.data.table import Table
from discreet.errors import PromiseBroken
from discreet.prepare.hierarchy import from_paths

QUASI = ("age", "town", "sex")
REGIONS = {"a": "north", "b": "north", "c": "south", "d": "south", "e": "south"}
TREES = {"town": from_paths("town", [(town, region, "*") for town, region in REGIONS.items()])}


@st.composite
def tables(draw):
    n = draw(st.integers(4, 60))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 6))),
        "town": column(st.one_of(st.none(), st.sampled_from("aaabbccde"))),
        "sex": column(st.sampled_from("fm")),
        "who": column(st.integers(0, 20)),
        "y": column(st.sampled_from(["no", "yes", "yes", "maybe"])),
    }


# -- the slow twin ----------------------------------------------------------------------------------------------------


class Twin:
    """kADET row by row."""

    def __init__(self, table, whose, k, public_class):
        self.t, self.whose, self.k, self.public = table, whose, k, public_class
        self.named = {t for t in REGIONS if self.persons([i for i, x in enumerate(table["town"]) if x == t]) >= k}

    def persons(self, rows):
        return len({self.whose[i] for i in rows})

    def fine(self, rows):
        if not self.public:
            return self.persons(rows) >= self.k
        by_class = [[i for i in rows if self.t["y"][i] == label] for label in set(self.t["y"])]
        return bool(rows) and all(not part or self.persons(part) >= self.k for part in by_class)

    def weight(self, rows):
        """How many stand behind rows, for choosing the largest branch."""
        if not self.public:
            return self.persons(rows)
        return sum(self.persons([i for i in rows if self.t["y"][i] == c]) for c in set(self.t["y"]))

    def entropy(self, rows):
        counts = Counter(self.t["y"][i] for i in rows)
        return len(rows) * math.log2(max(len(rows), 1)) - sum(n * math.log2(n) for n in counts.values())

    def gain(self, rows, parts):
        return round(self.entropy(rows) - sum(map(self.entropy, parts)), 9)

    def cuts(self, rows):
        age = {i: math.inf if self.t["age"][i] is None else self.t["age"][i] for i in rows}
        ways = []
        for cut in sorted(set(age.values()))[1:]:
            parts = [i for i in rows if age[i] < cut], [i for i in rows if age[i] >= cut]
            if all(map(self.fine, parts)):
                ways.append((self.gain(rows, parts), parts))
        return [(*max(ways, key=lambda way: way[0]), True)] if ways else []

    def labels(self, rows, name, paths):
        found = []
        for level in range(len(next(iter(paths.values()), ()))):
            groups = {path[level]: [] for path in paths.values()} | {None: []}
            rest = []
            for i in rows:
                value = self.t[name][i]
                label = None if value is None else paths[value][level] if value in paths else 0
                (rest if label == 0 else groups[label]).append(i)
            if not self.fine(groups[None]):
                rest += groups.pop(None)
            parts = [part for part in groups.values() if part]
            if len(parts) < 2:
                break
            allowed = all(map(self.fine, parts))
            largest = max(parts, key=self.weight)
            largest += rest
            found.append((self.gain(rows, parts), parts, allowed and all(map(self.fine, parts))))
        return found

    def leaves(self, rows):
        towns = {t: (t, region) for t, region in REGIONS.items() if t in self.named}
        sexes = {s: (s,) for s in "fm" if self.persons([i for i, x in enumerate(self.t["sex"]) if x == s]) >= self.k}
        ways = [self.cuts(rows), self.labels(rows, "town", towns), self.labels(rows, "sex", sexes)]
        while True:
            best = max(range(3), key=lambda i: (ways[i][0][0] if ways[i] else -1, -i))
            if not ways[best] or ways[best][0][0] <= 1e-9 * len(rows):
                return {frozenset(rows)}
            _, parts, allowed = ways[best].pop(0)
            if allowed:
                return set().union(*map(self.leaves, parts))


def refused(table, whose, k, public_class):
    classes = [len({w for w, label in zip(whose, table["y"], strict=True) if label == c}) for c in set(table["y"])]
    return len(set(whose)) < k or max(classes) < k or (public_class and min(classes) < k)


@pytest.mark.parametrize("public_class", [False, True])
@given(table=tables(), k=st.integers(2, 5), person=st.sampled_from([None, "who"]))
def test_the_tree_is_the_one_of_the_slow_twin(public_class, table, k, person):
    assume(len(set(table["y"])) > 1)
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    roles = Roles(target="y", quasi=QUASI, person=person)
    method = KAdet(k, public_class=public_class, prune=False, hierarchies=TREES)
    if refused(table, whose, k, public_class):
        with pytest.raises(CannotRelease):
            method.release(table, roles)
        return
    release = method.release(table, roles)
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    found = {frozenset(inside) for inside in members(release.data, rows).values()}
    assert found == Twin(table, whose, k, public_class).leaves(list(range(len(rows))))
    assert smallest(release.data, rows, "y", whose, public_class=public_class) >= release.verdict.measured >= k


@given(table=tables(), k=st.integers(2, 4), public_class=st.booleans(), person=st.sampled_from([None, "who"]))
def test_pruned_trees_with_automatic_hierarchies_keep_the_promise(table, k, public_class, person):
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    assume(len(set(table["y"])) > 1 and not refused(table, whose, k, public_class))
    roles = Roles(target="y", quasi=QUASI, person=person)
    pruned, full = (KAdet(k, public_class=public_class, prune=prune).release(table, roles) for prune in (True, False))
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    for release in (pruned, full):
        assert smallest(release.data, rows, "y", whose, public_class=public_class) >= release.verdict.measured >= k
    coarse, fine = (
        {frozenset(inside) for inside in members(release.data, rows).values()} for release in (pruned, full)
    )
    assert all(any(leaf <= larger for larger in coarse) for leaf in fine)


@given(table=tables(), k=st.integers(2, 5))
def test_what_few_have_is_never_named(table, k):
    assume(len(set(table["y"])) > 1 and max(Counter(table["y"]).values()) >= k)
    table = {**table, "town": [t and f"town-{t}" for t in table["town"]], "y": [f"class-{y}" for y in table["y"]]}
    text = KAdet(k, prune=False).release(table, Roles(target="y", quasi=QUASI)).document.to_bytes().decode()
    for name in ("town", "y"):
        for value, rows in Counter(table[name]).items():
            assert rows >= k or value is None or value not in text


# -- by hand ----------------------------------------------------------------------------------------------------------


def test_a_split_that_fails_is_tried_one_level_up():
    """Among the young the towns tell the class, but two of them live in b and two in e: at k = 3 regions are asked."""
    towns = "aaabbcccee" + "b" * 10 + "e" * 10
    young = [town in "ce" for town in towns[:10]]
    table = {"age": [1] * 10 + [9] * 20, "town": list(towns), "y": [*map(int, young), *[2] * 20]}
    roles = Roles(target="y", quasi=["age", "town"])
    two, three = (KAdet(k, hierarchies=TREES, prune=False).fit(table, roles).tree_ for k in (2, 3))
    assert (two.nodes[1]["level"], set(two.nodes[1]["branches"])) == (0, set("abce"))
    assert (three.nodes[1]["level"], set(three.nodes[1]["branches"])) == (1, {"north", "south"})
    assert three.predict({"age": [1, 1, 1, 9], "town": ["b", "e", "Nowhere", "b"]}).tolist() == [0, 1, 0, 2]
    assert set(three.values["town"]) == set("abce")  # nobody lives in d, which the hierarchy knows


def test_counts_are_shown_only_where_each_is_none_or_k():
    table = {"age": [1] * 6 + [9] * 10, "y": ["no"] * 6 + ["yes"] * 8 + ["no"] * 2}
    (below, above) = KAdet(4, prune=False).fit(table, Roles(target="y", quasi=["age"])).tree_.nodes[1:]
    assert below == {"class": "no", "at_least": 4, "counts": [6, 0]}
    assert above == {"class": "yes", "at_least": 4, "counts": None}


def test_a_class_that_is_known_must_be_shared_too():
    """Two of class no stand among those aged 9: the cut would leave them two, so it is not made."""
    table = {"age": [1] * 6 + [9] * 10, "y": ["no"] * 6 + ["yes"] * 8 + ["no"] * 2}
    (leaf,) = KAdet(4, public_class=True).fit(table, Roles(target="y", quasi=["age"])).tree_.nodes
    assert leaf == {"class": "no", "at_least": 4, "counts": [8, 8]}
    with pytest.raises(CannotRelease, match="1 of the 3 classes have fewer persons; where the class is known, each"):
        KAdet(4, public_class=True).release({**table, "y": [*table["y"][:-1], "maybe"]}, Roles(target="y", quasi="age"))


def test_missing_numbers_come_after_the_largest_and_may_be_told_apart():
    table = {"age": [1, 2, 3, 4] * 2 + [None] * 8, "y": [0] * 8 + [1] * 8}
    model = KAdet(4).fit(table, Roles(target="y", quasi=["age"]))
    assert model.tree_.nodes[0] == {"column": "age", "cut": None, "below": 1, "not_below": 2}
    assert model.predict({"age": [999, None]}).tolist() == [0, 1]
    assert model.classes_.tolist() == [0, 1]


def test_dates_are_cut():
    days = [f"2024-{month:02}-15" for month in range(1, 13)]
    model = KAdet(3).fit({"day": days, "y": [0] * 6 + [1] * 6}, Roles(target="y", quasi=["day"]))
    assert model.predict({"day": ["2024-02-01", "2025-01-01"]}).tolist() == [0, 1]


@pytest.mark.parametrize("classes", [[0, 1], [0.5, 1.5], [False, True], ["2024-01-01", "2024-02-01"]])
def test_classes_of_every_kind_are_published_and_read_back(classes, tmp_path):
    table = {"age": [1] * 6 + [9] * 6, "y": [classes[0]] * 6 + [classes[1]] * 6}
    folder = KAdet(3).release(table, Roles(target="y", quasi=["age"])).save(tmp_path / "out")
    assert verify(folder / "release", owner=folder / "owner").holds
    loaded = load_model(folder / "release")
    assert loaded.score(table) == loaded.score(table, np.array(table["y"])) == 1.0
    assert len(loaded.classes_) == 2


# -- a classifier -----------------------------------------------------------------------------------------------------


def made(n=200, **parameters):
    rng = np.random.default_rng(1)
    age, town = rng.integers(20, 80, n), rng.choice(list("abcde"), n)
    y = np.where((age > 50) ^ (rng.random(n) < 0.2), "old", "young")
    table = {"age": age.tolist(), "town": town.tolist(), "y": y.tolist()}
    return table, Roles(target="y", quasi=["age", "town"]), KAdet(5, **parameters)


def test_probabilities_are_the_shown_shares_and_nan_elsewhere():
    table, roles, model = made(prune=False)
    shares = model.fit(table, roles).predict_proba(table)
    shown = ~np.isnan(shares).any(axis=1)
    assert 0 < shown.sum() < len(shares)
    assert np.allclose(shares[shown].sum(axis=1), 1)
    assert (model.classes_[shares[shown].argmax(axis=1)] == model.predict(table)[shown]).mean() > 0.99


def test_the_score_is_the_share_of_right_answers():
    table, roles, model = made()
    right = np.mean(model.fit(table, roles).predict(table) == np.array(table["y"]))
    assert model.score(table) == model.score(table, table["y"]) == right > 0.7
    with pytest.raises(DataError, match="200 rows and 3 classes"):
        model.score(table, ["old"] * 3)


def test_rows_that_do_not_fit_are_refused():
    table, roles, model = made()
    model.fit(table, roles)
    with pytest.raises(DataError, match="There is no column 'age'"):
        model.predict({"town": ["a"]})
    with pytest.raises(DataError, match="'age' was learnt as numbers"):
        model.predict({"age": ["old", "young"], "town": ["a", "b"]})
    with pytest.raises(DataError, match="learns from a table with roles"):
        model.fit(table, table["y"])
    with pytest.raises(RolesError, match="hierarchies for 'twon', which the roles do not call"):
        KAdet(5, hierarchies={"twon": TREES["town"]}).fit(table, roles)


def test_no_rows_are_recoded(tmp_path):
    table, roles, model = made()
    release = model.release(table, roles)
    with pytest.raises(DataError, match="releases a document, not rows"):
        release.recode(table)
    with pytest.raises(DataError, match=r"so rows cannot be recoded to it\. Let the model predict them"):
        recode(release.save(tmp_path / "out") / "release", table)


# -- what is published ------------------------------------------------------------------------------------------------


def edited(folder, change):
    """The published model, changed, with hashes and seal made to fit: what a careless or dishonest owner could do."""
    from discreet.release.certificate import CERTIFICATE, Certificate, file_record

    path = folder / "model.json"
    model = json.loads(path.read_text(encoding="utf-8"))
    change(model)
    path.write_bytes((json.dumps(model, indent=1, ensure_ascii=False) + "\n").encode())
    sealed = Certificate.read(folder).sealed({"model.json": file_record(path)})
    (folder / CERTIFICATE).write_bytes(sealed.to_bytes())
    return verify(folder).problems


def leaf(model):
    return next(node for node in model["nodes"] if "class" in node)


CHANGES = {
    "5 required, 4 measured": lambda m: leaf(m).update(at_least=4, counts=None),
    "5 required, 3 measured": lambda m: leaf(m).update({"class": "young", "counts": [3, 40]}),
    "not its commonest": lambda m: leaf(m).update({"class": "young", "counts": [50, 40]}),
    "does not show one count for each class": lambda m: leaf(m).update(counts=[50]),
    "does not state its class": lambda m: leaf(m).update({"class": "ancient"}),
    "fields of the shape 'model'": lambda m: leaf(m).update(note="here are seven"),
    "do not form a tree": lambda m: m["nodes"].append(dict(leaf(m))),
    "does not follow it": lambda m: m["nodes"][0].update(below=0),
    "splits on other columns": lambda m: m["nodes"].__setitem__(slice(None), [leaf(m)]),
    "A cut must be a number": lambda m: m["nodes"][0].update(cut="50"),
    "does not have exactly the fields": lambda m: m.pop("classes"),
    "one of them twice": lambda m: m["classes"].append("old"),
    "other columns than the document": lambda m: m["columns"][0].update(role="other"),
}


@pytest.mark.parametrize("problem", CHANGES)
def test_verify_finds_what_is_wrong_with_a_tree(problem, tmp_path):
    table, roles, model = made()
    folder = model.release(table, roles).save(tmp_path / "out") / "release"
    assert problem in " ".join(edited(folder, CHANGES[problem]))
    with pytest.raises(PromiseBroken, match="The model is not loaded"):
        load_model(folder)


def test_the_owner_finds_what_the_tree_alone_does_not_tell(tmp_path):
    table, roles, model = made()
    folder = model.release(table, roles).save(tmp_path / "out")
    assert not edited(folder / "release", lambda m: m["nodes"][0].update(cut=m["nodes"][0]["cut"] + 1))
    (problem,) = verify(folder / "release", owner=folder / "owner").problems
    assert "are not those of the owner's rows" in problem
    (folder / "owner" / "evidence.parquet").unlink()
    assert not verify(folder / "release", owner=folder / "owner").holds


def test_a_cut_that_leaves_one_person_is_found_by_the_owner(tmp_path):
    table, roles, model = made()
    folder = model.release(table, roles).save(tmp_path / "out")

    def lie(m):
        m["nodes"][0].update(cut=float(min(table["age"])) + 0.5)

    assert not edited(folder / "release", lie)
    assert not verify(folder / "release", owner=folder / "owner").holds


def test_a_release_of_rows_is_no_model(tmp_path):
    from discreet import Mondrian

    table, roles, _ = made()
    folder = Mondrian(5).release(table, roles).save(tmp_path / "out") / "release"
    with pytest.raises(DataError, match="shape 'table', not a model"):
        load_model(folder)


@pytest.mark.data
def test_adult_on_rows_that_the_tree_has_not_seen():
    from discreet.samples import load

    sample = load("adult_arx")
    order = np.random.default_rng(0).permutation(len(sample.data))
    train, test = sample.data.take(order[:20_000]), sample.data.take(order[20_000:])
    assert isinstance(train, Table)
    for k, least in ((5, 0.82), (50, 0.81)):
        assert KAdet(k).fit(train, sample.roles).score(test) > least


def test_the_command_line_releases_and_verifies_a_model(tmp_path):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    table, _, _ = made()
    path = tmp_path / "people.csv"
    lines = [",".join(table), *(",".join(map(str, cells)) for cells in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = [
        "release",
        str(path),
        "--target",
        "y",
        "--quasi",
        "age,town",
        "--method",
        "kadet",
        "--k",
        "10",
        "--evaluate",
    ]
    told = CliRunner().invoke(app, [*asked, "-o", str(tmp_path / "out")])
    assert told.exit_code == 0, told.output
    assert "10-anonymous model holds" in told.output
    assert "no rows are published" in told.output
    assert "% after on 60 held-out rows" in told.output
    assert {path.name for path in (tmp_path / "out" / "owner").iterdir()} == {
        "trace.json",
        "summary.json",
        "evidence.parquet",
        "measures.json",
        "report.html",
    }
    for options in ([], ["--owner", str(tmp_path / "out" / "owner")]):
        checked = CliRunner().invoke(app, ["verify", str(tmp_path / "out" / "release"), *options])
        assert checked.exit_code == 0, checked.output
        assert "by kadet" in checked.output
        assert ("verify --owner repeats it" in checked.output) == (not options)


def test_a_prefix_that_is_a_rare_code_is_not_named():
    """One person has the code Q25; the prefix of the others, Q25*, would name it."""
    codes = [*["Q251", "Q252", "Q781", "Q782"] * 6, "Q25"]
    table = {"zip": codes, "y": [int(code[1] == "2") for code in codes]}
    release = KAdet(6, prune=False).release(table, Roles(target="y", quasi=["zip"]))
    assert b"Q251" in release.document.to_bytes()
    assert b"Q25*" not in release.document.to_bytes()
    assert b'"Q25"' not in release.document.to_bytes()
