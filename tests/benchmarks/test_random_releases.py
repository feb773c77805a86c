# SPDX-License-Identifier: Apache-2.0
"""A slice of the random releases; and the checker that counts them finds what is planted."""

import ast
import csv
import doctest
import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.random_releases import __main__ as command
from benchmarks.random_releases import cases, cells, counting, leaks, order, run
from benchmarks.random_releases.cells import texts_of
from benchmarks.random_releases.checker import check
from benchmarks.random_releases.order import LIMIT, Orders
from benchmarks.random_releases.source import Asked, Source

import oracles
from discreet import Baskets, DeltaSketch, GreedySelector, KActus2, KAdet, Mondrian, PrivateTable, Roles
from discreet.methods import METHODS
from instances import DOMAIN, PERSON_ROLES, ROLES, baskets, people

HERE = Path(run.__file__).parent
# -- a slice -----------------------------------------------------------------------------------------------------------


def test_a_slice_of_the_random_releases():
    tally = run.many(300, seed=7_000_000, jobs=1)
    printed = command.report(tally)
    assert not tally.broken + tally.failed, printed
    assert not tally.leaks, printed
    assert not tally.orders.leaks(), printed
    assert tally.released.total() >= 300
    assert len(tally.released) > 12


def test_every_method_is_drawn():
    assert {*cases.TABLE_METHODS, *cases.BASKET_METHODS} == set(METHODS)
    assert set(cases._PARAMETERS) == set(METHODS)
    for name, method in METHODS.items():
        shapes = {"table"} if name in cases.TABLE_METHODS else set()
        shapes |= {"baskets"} if name in cases.BASKET_METHODS else set()
        assert shapes >= set(method.takes) or name in cases.SKETCHES, name


@pytest.mark.parametrize("module", [cells, leaks, order])
def test_examples_in_the_checker(module):
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)


def test_a_number_is_a_case():
    one, again = cases.random_case(77), cases.random_case(77)
    assert one.parameters == again.parameters
    assert one.source == again.source
    assert cases.random_case(78).source != one.source


@pytest.mark.parametrize("name", ["cells", "source", "released", "counting", "leaks", "order", "checker"])
def test_the_checker_imports_nothing_of_discreet(name):
    tree = ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    inside = [name.split(".")[-1] for name in names if name.startswith("benchmarks")]
    assert not any(name.split(".")[0] in ("discreet", "numpy", "pandas") for name in names)
    assert set(inside) <= {"random_releases", "cells", "source", "released", "counting", "leaks"}


def test_a_failure_a_refusal_and_a_finding_are_told_apart(monkeypatch, tmp_path):
    class Made:
        def save(self, folder, format):
            raise next(errors)

    errors = iter(
        [ZeroDivisionError("no"), run_error("PromiseBroken"), run_error("CannotRelease"), TimeoutError("late")]
    )
    monkeypatch.setattr(run, "made", lambda case: Made())
    tally = run.Tally()
    for seed in range(4):
        run.one(seed, tmp_path / "out", tally)
    assert [finding.kind for finding in tally.failed] == ["ZeroDivisionError", "PromiseBroken", "TimeoutError"]
    assert [refusal for _, refusal in tally.refused] == ["CannotRelease"]
    assert not tally.fine
    assert "--replay 0" in command.report(tally)


def run_error(name):
    from discreet import errors

    return getattr(errors, name)("in words")


def test_a_refusal_that_names_a_value_is_a_leak(monkeypatch, tmp_path):
    secret = next(word for word in cases.random_case(5).source.hidden if "Zq" in word)

    def made(case):
        raise run_error("CannotRelease").__class__(f"The value {secret} is too rare.")

    monkeypatch.setattr(run, "made", made)
    tally = run.Tally()
    run.one(5, tmp_path / "out", tally)
    assert [finding.kind for finding in tally.leaks] == ["a refusal names a value"]


# -- what is planted is found ------------------------------------------------------------------------------------------


def source_of(frame, roles, method, **more) -> Source:
    columns = {name: texts_of(frame[name].astype(object).where(frame[name].notna(), None)) for name in frame}
    kinds = {"age": "number", "stay": "number"}
    secrets = {str(cell): "an identifier" for cell in frame["name"]}
    secrets |= {str(cell): "a column without a role" for cell in frame["hidden_column"]}
    return Source(
        method=method,
        columns=columns,
        kinds={name: kinds.get(name, "category") for name in columns},
        target=roles.target,
        quasi=roles.quasi,
        sensitive=roles.sensitive,
        other=roles.other,
        persons=None if roles.person is None else columns[roles.person],
        hidden=secrets,
        **more,
    )


def table_release(tmp_path, *, format="csv", roles=ROLES):
    frame = people()
    Mondrian(k=4, random_state=1).release(frame, roles).save(tmp_path / "out", format=format)
    source = source_of(frame, roles, "mondrian", promises=(Asked("k-anonymity", 4),))
    assert not (found := check(tmp_path / "out", source)).broken
    assert not found.leaks
    return tmp_path / "out", source


def rewrite(folder: Path, name: str, content: bytes) -> None:
    """A file of a release, changed, with the hash that a careful forger would write."""
    (folder / "release" / name).write_bytes(content)
    path = folder / "release" / "certificate.json"
    said = json.loads(path.read_bytes())
    digest = hashlib.sha256(content).hexdigest()
    full = isinstance(said["files"][name], dict)
    said["files"][name] = {"bytes": len(content), "sha256": digest} if full else digest
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def edited(folder: Path, change) -> None:
    """The published rows after a change of their cells."""
    path = folder / "release" / "data.csv"
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    change(head, rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    rewrite(folder, "data.csv", path.read_bytes())


def kinds(found) -> tuple[set[str], set[str]]:
    return {kind for kind, _ in found.broken}, {kind for kind, _ in found.leaks}


def test_a_row_that_was_changed_is_found(tmp_path):
    folder, source = table_release(tmp_path)

    def change(head, rows):
        rows[0][head.index("job")] = "{clerk, nobody}"

    edited(folder, change)
    broken, _ = kinds(check(folder, source))
    assert {"k-anonymity", "measured k-anonymity", "groups"} <= broken


def test_a_label_that_moved_to_another_row_is_found(tmp_path):
    folder, source = table_release(tmp_path)

    def change(head, rows):
        place = head.index("ill")
        other = next(row for row in rows if row[place] != rows[0][place])
        rows[0][place], other[place] = other[place], rows[0][place]

    edited(folder, change)
    assert "copied cells" in kinds(check(folder, source))[0]


@pytest.mark.parametrize("text", ["{North, Rare-7731}", "Rare-7731 or missing", "not {Rare-7731}", "Rare-7731"])
def test_a_rare_value_in_a_label_is_found(tmp_path, text):
    folder, source = table_release(tmp_path)

    def change(head, rows):
        label = rows[0][head.index("town")]
        for row in rows:
            row[head.index("town")] = row[head.index("town")].replace(label, text)

    edited(folder, change)
    assert "rare value in the data" in kinds(check(folder, source))[1]


def test_a_rare_value_in_the_record_is_found(tmp_path):
    folder, source = table_release(tmp_path)
    record = json.loads((folder / "release" / "recoding.json").read_bytes())
    town = next(column for column in record["columns"] if column["name"] == "town")
    town["labels"][0]["in"] = [*town["labels"][0].get("in", []), "Rare-7731"]
    rewrite(folder, "recoding.json", json.dumps(record).encode())
    assert "rare value in a meaning of the record" in kinds(check(folder, source))[1]


def test_a_rare_number_is_found_unless_it_is_a_border(tmp_path):
    folder, source = table_release(tmp_path)
    rare = min(age for age, persons in source.support["age"].items() if persons < 4)
    before = check(folder, source).borders

    def change(head, rows):
        rows[0][head.index("age")] = label

    label = f"{rare:g} or missing"
    edited(folder, change)
    assert "rare value in the data" in kinds(check(folder, source))[1]
    label = f"[{rare:g}, {rare + 1:g})"
    edited(folder, change)
    assert "rare value in the data" in kinds(check(folder, source))[1]
    label = f"[{rare:g}, {rare + 9:g})"
    edited(folder, change)
    found = check(folder, source)
    assert "rare value in the data" not in kinds(found)[1]
    assert found.borders == before + 1


def test_what_lies_between_two_days_is_no_single_day_where_cells_have_times():
    """The release writes [1900-01-02, 1900-01-03); one person's cell is the first moment of that day."""
    tally = run.batch(range(3002928, 3002929), None)
    assert tally.released.total() == 1
    assert not tally.leaks


def test_a_rare_value_in_the_name_of_an_item_is_found_and_a_common_one_that_looks_like_a_label_is_not():
    class Named:
        record = None

        def named(self, role):
            return [f"town={text}" for text in ("a or missing", "Rare", "North")]

    cells = ["a or missing", "a or missing", "North", "North", "Rare", "a"]
    source = Source(
        method="greedy",
        promises=(Asked("containment", 2),),
        columns={"town": cells, "label": ["0"] * 6},
        kinds={"town": "category"},
        quasi=("town",),
    )
    found = list(leaks.table_leaks(Named(), source, leaks.Rare(source)))
    assert found == [("rare value in the name of an item", "'town': 'Rare'")]


def test_a_name_in_any_file_is_found(tmp_path):
    folder, source = table_release(tmp_path)
    assert source.columns["name"][3] in source.hidden
    path = folder / "release" / "certificate.json"
    said = json.loads(path.read_bytes())
    said["method"]["parameters"]["note"] = source.columns["name"][3]
    path.write_text(json.dumps(said), encoding="utf-8")
    assert "an identifier in a published byte" in kinds(check(folder, source))[1]


def test_an_extra_file_and_a_changed_one_are_found(tmp_path):
    folder, source = table_release(tmp_path)
    (folder / "release" / "notes.txt").write_text("nothing")
    assert "files" in kinds(check(folder, source))[0]
    (folder / "release" / "notes.txt").unlink()
    data = folder / "release" / "data.csv"
    data.write_bytes(data.read_bytes() + b"\n")
    assert "files" in kinds(check(folder, source))[0]


def test_metadata_and_unused_levels_of_parquet_are_found(tmp_path):
    folder, source = table_release(tmp_path, format="parquet")
    path = folder / "release" / "data.parquet"
    table = pq.read_table(path)
    pq.write_table(table, tmp_path / "other.parquet", compression="none")  # keeps the schema of Arrow
    rewrite(folder, "data.parquet", (tmp_path / "other.parquet").read_bytes())
    assert "metadata in Parquet" in kinds(check(folder, source))[1]
    coded = table.column("ill").combine_chunks().dictionary_encode()
    wider = pa.DictionaryArray.from_arrays(coded.indices, pa.concat_arrays([coded.dictionary, pa.array(["scurvy"])]))
    table = table.set_column(table.column_names.index("ill"), "ill", wider)
    pq.write_table(table, tmp_path / "third.parquet", compression="none", store_schema=False)
    rewrite(folder, "data.parquet", (tmp_path / "third.parquet").read_bytes())
    assert "unused levels in Parquet" in kinds(check(folder, source))[1]


def test_persons_are_counted_and_not_rows(tmp_path):
    """The same files, of which the owner knows that all rows are one person's."""
    folder, source = table_release(tmp_path, roles=PERSON_ROLES)
    assert source.persons is not None
    pq.write_table(pa.table({"person": [7] * len(source)}), folder / "owner" / "persons.parquet")
    assert "k-anonymity" in kinds(check(folder, source))[0]


def test_what_was_asked_counts_and_not_what_is_stated(tmp_path):
    folder, source = table_release(tmp_path)
    harder = replace(source, promises=(Asked("k-anonymity", 50),))
    broken, _ = kinds(check(folder, harder))
    assert "certificate" in broken


def test_a_group_without_diversity_is_found(tmp_path):
    frame = people()
    KActus2(k=4, l=2, random_state=1).release(frame, ROLES).save(tmp_path / "out")
    source = source_of(frame, ROLES, "kactus2", promises=(Asked("k-anonymity", 4), Asked("l-diversity", 2)))
    assert not check(tmp_path / "out", source).broken

    def change(head, rows):
        for row in rows:
            row[head.index("ill")] = "flu"

    edited(tmp_path / "out", change)
    assert "l-diversity" in kinds(check(tmp_path / "out", source))[0]


def test_a_leaf_of_few_persons_is_found(tmp_path):
    frame = people()
    KAdet(k=5).release(frame, ROLES).save(tmp_path / "out")
    source = source_of(frame, ROLES, "kadet", promises=(Asked("k-anonymous model", 5),), gives="model")
    found = check(tmp_path / "out", source)
    assert not found.broken + found.leaks
    path = tmp_path / "out" / "release" / "model.json"
    model = json.loads(path.read_bytes())
    node = next(node for node in model["nodes"] if "cut" in node)
    node["cut"] = min(float(age) for age in source.columns["age"]) + 0.5
    rewrite(tmp_path / "out", "model.json", json.dumps(model).encode())
    assert kinds(check(tmp_path / "out", source))[0] & {"k-anonymous model", "model"}
    model["classes"] = [*model["classes"], "Rare-7731"]
    values = model["values"].setdefault("town", {})
    values["Rare-7731"] = ["Rare-7731"] * max(map(len, values.values()), default=1)
    rewrite(tmp_path / "out", "model.json", json.dumps(model).encode())
    assert "rare value in the model" in kinds(check(tmp_path / "out", source))[1]


def test_a_synthetic_value_outside_the_domain_and_a_row_too_many_are_found(tmp_path):
    frame = people()
    PrivateTable(epsilon=1.0, domain=DOMAIN).release(frame, ROLES).save(tmp_path / "out")
    asked = (Asked("differential privacy", 1.0),)
    allowed = cases._allowed(DOMAIN | {"stay": [str(stay) for stay in DOMAIN["stay"]]}, "private-table")
    source = source_of(frame, ROLES, "private-table", promises=asked, gives="synthetic", domain=allowed)
    assert not check(tmp_path / "out", source).broken

    def change(head, rows):
        rows[0][head.index("job")] = "pilot"
        rows.append(rows[1])

    edited(tmp_path / "out", change)
    assert kinds(check(tmp_path / "out", source))[0] >= {"domain", "rows"}


def basket_source(X, y, method, names, **more) -> Source:
    rows = [frozenset(name for name, cell in zip(names, line, strict=True) if cell) for line in X.tolist()]
    return Source(method=method, baskets=rows, items=tuple(names), labels=y.tolist(), **more)


def test_a_basket_that_is_contained_in_too_few_and_a_rare_item_are_found(tmp_path):
    X, y = baskets()
    names = [f"item {place}" for place in range(X.shape[1])]
    GreedySelector(k=5, random_state=1).release(Baskets.of(X, y, names=names)).save(tmp_path / "out")
    asked = (Asked("containment", 5),)
    source = basket_source(X, y, "greedy", names, promises=asked, gives="baskets")
    found = check(tmp_path / "out", source)
    assert not found.broken + found.leaks
    path = tmp_path / "out" / "release" / "data.parquet"
    table = pq.read_table(path).to_pydict()
    every = sorted({item for items in table["items"] for item in items})
    table["items"] = [every, *([] if set(items) == set(every) else items for items in table["items"][1:])]
    pq.write_table(pa.table(table), path, compression="none", store_schema=False)
    rewrite(tmp_path / "out", "data.parquet", path.read_bytes())
    assert "containment" in kinds(check(tmp_path / "out", source))[0]
    rare = replace(source, baskets=[row - {every[0]} for row in source.baskets[1:]] + [frozenset({every[0]})])
    assert "rare item published" in kinds(check(tmp_path / "out", rare))[1]


def test_sketches_of_too_many_components_are_found(tmp_path):
    X, y = baskets(n=60, d=40)
    DeltaSketch(delta=0.3, random_state=1).release(X, y).save(tmp_path / "out")
    asked = (Asked("delta-anonymity", 0.3),)
    source = basket_source(X, y, "delta-sketch", [f"x{place}" for place in range(40)], promises=asked, gives="sketches")
    assert not check(tmp_path / "out", source).broken
    path = tmp_path / "out" / "release" / "data.parquet"
    table = pq.read_table(path).to_pydict()
    table["sketch"] = [[999], *(sketch * 32 for sketch in table["sketch"][1:])]
    pq.write_table(pa.table(table), path, compression="none", store_schema=False)
    rewrite(tmp_path / "out", "data.parquet", path.read_bytes())
    assert kinds(check(tmp_path / "out", source))[0] >= {"delta-anonymity", "sketches"}


# -- twins and chance --------------------------------------------------------------------------------------------------


def test_counting_equals_the_slow_twins():
    rng = Random(3)
    for _ in range(60):
        persons = [rng.randrange(12) for _ in range(20)]
        rows = [tuple(rng.choice("ab*") for _ in range(2)) for _ in range(20)]
        ill = [rng.choice("xyz") for _ in range(20)]
        sets = [frozenset(i for i in range(4) if rng.random() < 0.5) for _ in range(20)]
        assert counting.k_anonymity(rows, persons) == oracles.k_anonymity(rows, persons)
        assert counting.l_diversity(rows, ill, persons) == oracles.distinct_l(rows, ill, persons)
        for absences in range(3):
            assert counting.containment(sets, persons, absences) == oracles.containment(sets, absences, persons)


def test_labels_are_read_as_they_are_documented():
    assert leaks.elements("not {a, b}", "category") == ["a", "b"]
    assert leaks.elements('{"a, b", c} or missing', "category") == ["a, b", "c"]
    assert leaks.elements('"not x"', "category") == ["not x"]
    assert leaks.elements("[1, 2)", "category") == ["[1, 2)"]
    assert leaks.elements("[2020-01-31, 2020-02-01) or missing", "date") == ["2020-01-31"]
    assert leaks.elements(">= 7", "number") == []
    assert leaks.elements("7 or missing", "number") == ["7"]


def test_an_order_that_follows_the_input_is_found_and_a_fresh_one_is_not():
    rng, fresh, faint = Random(1), Orders(), Orders()
    for _ in range(400):
        drawn = rng.sample(range(40), 40)
        fresh.add(drawn)
        faint.add([0, *(row for row in drawn if row)])  # the first stays the first
    assert not fresh.leaks()
    assert max(map(abs, fresh.scores().values())) < LIMIT
    assert faint.leaks()
    kept = Orders()
    kept.join(fresh)
    assert kept.scores() == fresh.scores()


def test_the_report_counts_by_method_and_names_what_to_replay():
    tally = run.Tally(released=Counter(mondrian=3), refused=Counter({("mondrian", "CannotRelease"): 2}))
    assert command.report(tally).splitlines()[-1] == "3 releases, 2 refusals, 0 failed: 0 broken, 0 leaks"
    tally.leaks.append(run.Finding(41, "mondrian", "rare value in the data", "'zip': '80331'"))
    printed = command.report(tally)
    assert "rare value in the data (mondrian): 1 cases, --replay 41" in printed
    assert printed.endswith("0 broken, 1 leaks")
    assert not tally.fine


def test_roles_of_a_case_are_roles():
    for seed in range(40):
        case = cases.random_case(seed)
        if case.roles is not None:
            Roles(**case.roles)
