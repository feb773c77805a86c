# SPDX-License-Identifier: Apache-2.0
import itertools
import json
from collections import Counter

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import Baskets, CannotRelease, DataError, GreedySelector, ItemGroups, recode, verify
from discreet.attacks import attack
from discreet.evaluate.cross_evaluation import evaluate_utility
from discreet.methods.containment import item_groups_scores
from discreet.methods.containment.item_groups_choice import all_steps
from discreet.methods.containment.item_groups_learn import learnt_groups
from discreet.recoding.grouped_items import GroupedItems


def words(n=240, d=120, seed=0):
    """Rows of rare words; half of the words are more frequent in one class. No single word says much."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    rates = np.full((2, d), 0.06)
    rates[0, : d // 4] = rates[1, d // 4 : d // 2] = 0.16
    return Baskets.of((rng.random((n, d)) < rates[y]).astype(int), y)


def sets_of(baskets):
    return [frozenset(baskets.items(row)) for row in range(len(baskets))]


def grouped_by_hand(rows, grouped):
    """A row has a published item if it has one of its members, or if the points of its items are enough."""
    record = json.loads(grouped.to_bytes())

    def points(score, row):
        have = [int(worth) for worth, names in score["items"].items() for name in names if name in row]
        begun = [
            int(worth)
            for worth, texts in score["beginnings"].items()
            for text in texts
            if any(item.startswith(text) for item in row)
        ]
        return sum(have) + sum(begun)

    def has(one, row):
        if "any_of" in one:
            return bool(row & set(one["any_of"]))
        return points(record["scores"][one["score"]], row) >= one["at_least"]

    return [frozenset(one["item"] for one in record["groups"] if has(one, row)) for row in rows]


def named_by(grouped):
    """Items, and beginnings of items, that the record names."""
    record = json.loads(grouped.to_bytes())
    items = {item for one in record["groups"] for item in one.get("any_of", [])}
    beginnings = set()
    for score in record.get("scores", []):
        items.update(*score["items"].values())
        beginnings.update(*score["beginnings"].values())
    return items, beginnings


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.sets(st.integers(0, 7)), min_size=8, max_size=20),
    labels=st.lists(st.sampled_from("pqr"), min_size=20, max_size=20),
    persons=st.one_of(st.none(), st.lists(st.integers(0, 6), min_size=20, max_size=20)),
    k=st.integers(2, 4),
    coverage=st.sampled_from(["auto", 0.0, 0.3, 0.6]),
    form=st.sampled_from(["groups", "scores", "given"]),
)
def test_the_promise_holds_by_plain_counting_and_rows_recode_to_their_release(rows, labels, persons, k, coverage, form):
    labels, n = labels[: len(rows)], len(rows)
    persons = None if persons is None else persons[:n]
    assume(len(set(labels)) > 1)
    assume(persons is None or len(set(persons)) >= k)
    assume(any(rows))
    matrix = np.array([[item in row for item in range(8)] for row in rows], dtype=int)
    names = ["a", "an", "ant", "ante", "b", "bat", "bath", "c"]
    baskets = Baskets.of(matrix, labels, names=names, persons=persons)
    given = form == "given"
    groups = {name: f"group {item // 3}" for item, name in enumerate([*names, "new"])} if given else None
    method = ItemGroups(k, groups=groups, form="auto" if given else form, coverage=coverage, random_state=0)
    try:
        release = method.release(baskets)
    except CannotRelease:
        return
    known = sets_of(baskets)
    by_hand = grouped_by_hand(known, release.groups)
    assert Counter(zip(by_hand, labels, strict=True)) == Counter(
        zip(sets_of(release.baskets), release.labels.tolist(), strict=True)
    )
    whose = list(range(n)) if persons is None else persons
    for mine in by_hand:
        assert len({whose[i] for i, row in enumerate(by_hand) if mine <= row}) >= k
    assert sets_of(release.recode(baskets)) == by_hand
    if not given:  # k persons have each item and each beginning that is named
        items, beginnings = named_by(release.groups)
        for item in items:
            assert len({whose[i] for i, row in enumerate(known) if item in row}) >= k
        for text in beginnings:
            assert len({whose[i] for i, row in enumerate(known) if any(item.startswith(text) for item in row)}) >= k
            having = {name: len({whose[i] for i, row in enumerate(known) if name in row}) for name in names}
            assert having.get(text, k) >= k or any(n >= k and name.startswith(text) for name, n in having.items())


def test_groups_keep_more_of_the_class_than_single_items():
    train, test = words(seed=1), words(seed=2)
    scores = {}
    for method in (ItemGroups(5, random_state=0), GreedySelector(5, random_state=0)):
        release = method.release(train)
        rows = release.recode(test) if release.groups else test.keep([test.names.index(n) for n in release.columns])
        X, Z = release.baskets.matrix.toarray(), rows.matrix.toarray()
        w = np.linalg.solve(X.T @ X + 30 * np.eye(X.shape[1]), X.T @ (release.labels - 0.5))
        scores[method.name] = np.mean(((Z - X.mean(axis=0)) @ w > 0) == (test.labels == 1))
    assert scores["item-groups"] > scores["greedy"] + 0.05


def test_learnt_groups_are_of_one_class_and_the_strongest_come_first():
    X = np.zeros((40, 6), dtype=int)
    X[:20, 0] = X[:10, 1] = X[20:40, 2] = X[20:30, 3] = 1
    X[[0, 1, 2, 20], 4] = X[[21, 22, 23, 3], 5] = 1
    groups = learnt_groups(Baskets.of(X, [1] * 20 + [0] * 20), np.arange(6), 0.5)
    assert groups == [[2], [3, 5], [0], [1, 4]]
    assert learnt_groups(Baskets.of(X, [1] * 20 + [0] * 20), np.arange(6), 0.0) == [[2], [3], [5], [0], [1], [4]]


def test_what_is_learnt_is_what_predicts_held_out_rows_best():
    method = ItemGroups(5, random_state=0)
    method.release(words())
    assert method.learnt_ == max(method.aucs_, key=method.aucs_.__getitem__)
    assert {variant.form for variant in method.aucs_} == {"groups", "scores"}
    assert method.learnt_.form == "scores"  # many words that say little each
    for form in ("groups", "scores"):
        method = ItemGroups(5, form=form, coverage=0.1, beginnings=False, random_state=0)
        method.release(words())
        assert {
            (variant.form, variant.coverage, variant.beginnings) for variant in (*method.aucs_, method.learnt_)
        } == {(form, 0.1, False)}
    assert ItemGroups(5, form="groups", coverage=0.0).release(words()).columns == tuple(
        name for name in ItemGroups(5, form="groups", coverage=0.0).release(words()).columns if name.startswith("x")
    )


def test_a_saved_release_verifies_recodes_and_is_attacked(tmp_path):
    baskets = words()
    release = ItemGroups(5, random_state=0).release(baskets)
    folder = release.save(tmp_path / "out") / "release"
    verification = verify(folder)
    assert verification.holds
    assert any("as members of groups or scores" in remark for remark in verification.remarks)
    published = [frozenset(row["items"]) for row in pq.read_table(folder / "data.parquet").to_pylist()]
    assert oracles.containment([set(row) for row in published]) >= 5
    again = recode(folder, baskets)
    assert sets_of(again) == sets_of(release.recode(baskets))
    assert Counter(sets_of(again)) == Counter(published)
    assert sets_of(recode(folder, [["x0", "never seen"], []]))[1] == frozenset()
    findings = attack(folder, baskets)
    assert findings
    assert all(f.success.value <= f.bound + 1e-9 for f in findings if f.bound is not None)


def test_a_record_that_was_edited_is_found(tmp_path):
    folder = ItemGroups(5, random_state=0).release(words()).save(tmp_path / "out") / "release"
    record = GroupedItems.from_bytes((folder / "recoding.json").read_bytes())
    assert record.problems(record.names) == []
    assert record.problems(record.names[::-1])
    other = record.within(record.names[1:])
    (folder / "recoding.json").write_bytes(other.to_bytes())
    assert not verify(folder).holds
    with pytest.raises(DataError, match="was changed after it was certified"):
        recode(folder, words())
    for wrong in (b"{}", b"[]", b'{"format": 1, "groups": []}\n', other.to_bytes().replace(b" ", b"  ", 1)):
        with pytest.raises(DataError):
            GroupedItems.from_bytes(wrong)
    twice = json.dumps({"format": 1, "groups": [{"item": "a", "any_of": ["a"]}] * 2}).encode()
    with pytest.raises(DataError):
        GroupedItems.from_bytes(twice)


def test_steps_of_a_score_are_nested_and_k_persons_drop_out_at_each():
    baskets = words()
    release = ItemGroups(7, form="scores", random_state=0).release(baskets)
    grouped, published = release.groups, release.recode(baskets)
    assert len(grouped.scores) == 2
    assert all(step is not None for step in grouped.steps)
    for place, score in enumerate(grouped.scores):
        reached = score.of(baskets)
        least = [step.at_least for step in grouped.steps if step.score == place]
        assert least == sorted(least)
        columns = [c for c, step in enumerate(grouped.steps) if step.score == place]
        held = published.matrix[:, columns].toarray()
        assert np.array_equal(held, reached[:, None] >= np.array(least))
        assert (np.diff(held.sum(axis=0), append=0) <= -7).all()
        assert held[:, 0].sum() <= len(baskets) - 7
    assert 0 < max(points for score in grouped.scores for _, points in score.items) == 20


def test_a_class_that_few_persons_have_gets_no_score():
    """Its points would tell what these persons have in common."""
    baskets = words()
    labels = [f"class {label}" for label in baskets.labels]
    labels[:3] = ["few"] * 3
    release = ItemGroups(5, form="scores", random_state=0).release(Baskets.of(baskets, labels))
    assert not [name for name in release.columns if name.startswith("few")]
    assert {name.split(":")[0] for name in release.columns} == {"class 0", "class 1"}


def with_few(theirs, k, seed=0):
    """Two classes of 300 persons, and k - 1 persons of a third, who have these items and no others."""
    baskets = words(300, 60, seed)
    matrix, labels = baskets.matrix.toarray(), [f"class {label}" for label in baskets.labels]
    mine = np.zeros((k - 1, 60), dtype=int)
    mine[:, theirs] = 1
    return Baskets.of(np.vstack([matrix, mine]), labels + ["few"] * (k - 1))


@pytest.mark.parametrize("form", ["groups", "scores", "auto"])
def test_what_few_persons_of_a_class_have_changes_no_group_and_no_points(form):
    """Learnt from their class, too, the published groups were {x40, x42} and {x41, x43}, which they have in common."""
    k, groups, scores = 4, [], []
    for theirs in ([], [40, 41, 42, 43], [0, 20, 50, 55], list(range(60))):
        method = ItemGroups(k, form=form, coverage="auto" if form == "auto" else 0.1, random_state=0)
        found = method.release(with_few(theirs, k)).groups
        groups.append({members for members in found.members if len(members) > 1})
        scores.append(set(found.scores))
    for one, other in itertools.combinations(groups, 2):
        assert all(mine == theirs or not {*mine} & {*theirs} for mine in one for theirs in other)
    assert any(groups) or any(scores)
    assert len(set.union(*scores)) <= 2  # of class 0 and class 1


def test_with_one_class_that_k_persons_have_nothing_is_learnt():
    """What speaks for it would be what the others lack."""
    baskets = with_few([40, 41, 42, 43], 4)
    labels = ["few" if row >= 300 else "many" for row in range(len(baskets))]
    method = ItemGroups(4, random_state=0)
    release = method.release(Baskets.of(baskets, labels))
    assert method.learnt_ is None
    assert release.verdict.holds
    assert all(len(members) == 1 for members in release.groups.members)
    assert not release.groups.scores
    assert any("nothing is learnt" in note for note in release.owner.notes)


def test_points_of_a_linear_model_are_the_same_by_products_of_rows_and_by_passes(monkeypatch):
    baskets = words(400, 90, 3)
    members = item_groups_scores.members_of(baskets, 5, beginnings=True)
    points = []
    for rows in (10_000, 100):
        monkeypatch.setattr(item_groups_scores, "_ROWS", rows)
        points.append(item_groups_scores.points_of(members, baskets.labels, 2, "ridge"))
    assert np.array_equal(*points)
    assert points[0].max() == 20


def test_beginnings_of_names_keep_what_single_items_are_too_rare_for():
    """Each word is rare; those of a stem are not, and only the stem tells the class."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    stems = [["run", "eat"][label] for label in y]
    rows = [[f"{stem}{rng.integers(0, 90)}", f"z{rng.integers(0, 9)}"] for stem in stems]
    baskets = Baskets.from_transactions(rows, y)
    release = ItemGroups(10, random_state=0).release(baskets)
    items, beginnings = named_by(release.groups)
    assert {"run", "eat"} <= beginnings
    assert not [item for item in items if item[0] in "re"]
    new = release.recode([["runaway", "z1"], ["eaten", "z2"], ["walk"]])
    told = [{name.split(":")[0] for name in new.items(row)} for row in range(3)]
    assert "0" in told[0]
    assert "1" in told[1]
    assert told[2] == set()
    without = ItemGroups(10, beginnings=False, random_state=0).release(baskets)
    assert named_by(without.groups)[1] == set()


@pytest.mark.parametrize("weights", ["odds", "ridge"])
def test_no_beginning_tells_of_an_item_of_fewer_than_k(weights):
    """Beside "hivtest" a beginning "hiv" would say that somebody has another item that begins so: four persons do.
    "hivte" says nothing: half of the name or more of an item that k persons have may always have points."""
    rng = np.random.default_rng(1)
    y = np.repeat(["ill", "well"], 100)
    rows = [["hivtest"] * (rng.random() < (0.6 if c == "ill" else 0.1)) + [f"{i % 7}day"] for i, c in enumerate(y)]
    with_four = [[*row, f"hivpositive{i}"] if i < 4 else row for i, row in enumerate(rows)]
    with_five = [[*row, f"hivpositive{i}"] if i < 5 else row for i, row in enumerate(rows)]

    def beginnings(rows, persons=None):
        baskets = Baskets.from_transactions(rows, y, persons=persons)
        members = item_groups_scores.members_of(baskets, 5, beginnings=True)
        members, _ = members.held_by(5, baskets.persons, beginnings=True)
        points = item_groups_scores.points_of(members, baskets.labels, 2, weights)
        return {begun for score in item_groups_scores.scores_of(members, points) for begun in score.beginnings}

    assert beginnings(rows) == beginnings(with_four)
    assert {text for text, _ in beginnings(rows)} >= {"hivte", "hivtest"}
    assert "hiv" not in {text for text, _ in beginnings(rows)}
    assert "hiv" in {text for text, _ in beginnings(with_five)}
    assert "hiv" not in {text for text, _ in beginnings(with_five, [0, *range(199)])}  # the five rows: four persons


@pytest.mark.parametrize("seed", range(8))
def test_items_of_fewer_than_k_change_no_beginning_and_no_points(seed):
    """They begin like common items in every way: all of a name and more, a part of it, a part and something else."""
    rng = np.random.default_rng(seed)
    k, y = 4, rng.integers(0, 2, 120)
    names = np.array(["stem", "stems", "stemming", "story", "a", "an", "ant", "4280", "4281", "428.1-x", "52", "zebra"])
    rates = rng.uniform(0.05, 0.4, (2, len(names)))
    rows = [names[rng.random(len(names)) < rates[c]].tolist() for c in y]
    theirs = set()
    for name in rng.choice(names, 9):
        beginning = name[: rng.integers(1, len(name) + 1)]
        theirs |= {beginning, f"{beginning}{rng.integers(0, 9)}", f"{beginning}q{rng.integers(0, 9)}", f"{name}s"}
    theirs -= {*names}
    few = rng.choice(120, k - 1, replace=False).tolist()
    more = [[*row, *theirs] if i in few else row for i, row in enumerate(rows)]

    learnt = []
    for table in (rows, more):
        baskets = Baskets.from_transactions(table, y)
        members = item_groups_scores.members_of(baskets, k, beginnings=True)
        members, _ = members.held_by(k, None, beginnings=True)
        points = [item_groups_scores.points_of(members, baskets.labels, 2, weights) for weights in ("odds", "ridge")]
        learnt.append((members.names, [item_groups_scores.scores_of(members, each) for each in points]))
        for each in points:
            told, reached = members.told @ each, members.matrix @ each
            for c, step in all_steps(told, reached, baskets, k, 0.02):
                assert step in told[:, c]
    assert learnt[0] == learnt[1]
    assert {"stem", "stemmi", "ant", "428", "428.1", "zeb", "zebra"} <= {*learnt[0][0]}


def test_records_of_scores_are_read_strictly():
    grouped = ItemGroups(5, form="scores", random_state=0).release(words()).groups
    content = grouped.to_bytes()
    assert GroupedItems.from_bytes(content) == grouped
    raw = json.loads(content)

    def written(**changes):
        return json.dumps({**raw, **changes}, ensure_ascii=False).encode()

    step = raw["groups"][0]
    for wrong in (
        written(scores=[]),
        written(scores=[*raw["scores"], raw["scores"][0]]),
        written(scores=[{"items": {"0": ["x1"]}, "beginnings": {}}, *raw["scores"][1:]]),
        written(scores=[{"items": {"5": ["x1"], "4": ["x1"]}, "beginnings": {}}, *raw["scores"][1:]]),
        written(groups=[{**step, "score": 7}]),
        written(groups=[{**step, "at_least": 0}]),
        written(groups=[{**step, "at_least": 1.5}]),
        written(format=1),
        content.replace(b"\n", b"", 1),
    ):
        with pytest.raises(DataError):
            GroupedItems.from_bytes(wrong)


def test_groups_from_a_file(tmp_path):
    file = tmp_path / "kinds.csv"
    file.write_text("item;group\n" + "".join(f"x{j};kind {j % 3}\n" for j in range(130)), encoding="utf-8")
    by_file = ItemGroups(5, groups=file, random_state=0).release(words())
    by_dict = ItemGroups(5, groups={f"x{j}": f"kind {j % 3}" for j in range(130)}, random_state=0).release(words())
    assert by_file.groups == by_dict.groups
    assert by_file.parameters == {
        "k": 5, "groups": "given", "form": "auto", "coverage": "auto", "beginnings": True,
    }  # fmt: skip
    kinds = dict(zip(by_file.groups.names, by_file.groups.members, strict=True))
    assert "x129" in kinds["kind 0"]  # which nobody has: the file is published as it is
    for text, why in (
        ("a;b;c\n", "not two cells"),
        ("a;b\na;c\n", "in two groups"),
        ("a;\n", "lack one"),
        ("", "No groups were given"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=why):
            ItemGroups(5, groups=file).release(words())
    with pytest.raises(DataError, match="There is no file"):
        ItemGroups(5, groups=tmp_path / "none.csv").release(words())


def test_a_group_of_the_name_of_an_item_takes_its_place():
    release = ItemGroups(5, groups={"x0": "x1", "x2": "x1"}, random_state=0).release(words())
    assert list(release.columns).count("x1") == 1
    assert dict(zip(release.groups.names, release.groups.members, strict=True))["x1"] == ("x0", "x2")


def test_nothing_fits():
    with pytest.raises(CannotRelease, match="No group and no item"):
        ItemGroups(3).release(Baskets.of(np.eye(6, dtype=int), [0, 1] * 3))


def test_test_rows_are_recoded_when_utility_is_measured():
    evaluation = evaluate_utility(ItemGroups(5, random_state=0), words(), classifiers=["logistic"], folds="3-fold")
    assert evaluation.mean("item-groups(k=5)", "logistic", "auc").value > 0.75


def test_at_the_command_line(tmp_path, monkeypatch):
    """Transactions and a file of groups go in; new transactions come out as published items."""
    from typer.testing import CliRunner

    from discreet.cli.app import app

    monkeypatch.chdir(tmp_path)
    baskets = words()
    lines = ["\t".join(baskets.items(row)) for row in range(len(baskets))]
    (tmp_path / "rows.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "rows.labels").write_text("".join(f"{label}\n" for label in baskets.labels), encoding="utf-8")
    (tmp_path / "kinds.csv").write_text("".join(f"x{j},kind {j % 3}\n" for j in range(120)), encoding="utf-8")
    asked = "release rows.dat --baskets transactions --labels rows.labels --method item-groups --k 5 -o out"
    done = CliRunner().invoke(app, [*asked.split(), "--set", "groups=kinds.csv"])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(app, ["verify", "out/release"]).exit_code == 0
    done = CliRunner().invoke(app, ["recode", "out/release", "rows.dat", "-o", "new.dat"])
    assert done.exit_code == 0, done.output
    by_hand = grouped_by_hand(
        sets_of(baskets), GroupedItems.from_bytes((tmp_path / "out/release/recoding.json").read_bytes())
    )
    written = (tmp_path / "new.dat").read_text(encoding="utf-8").split("\n")[:-1]
    assert [frozenset(filter(None, line.split("\t"))) for line in written] == by_hand
