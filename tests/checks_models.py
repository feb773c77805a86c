# SPDX-License-Identifier: Apache-2.0
"""The laws of methods whose release is a model. The tree is read here by a reader of its own, row by row."""

import json
import math
from pathlib import Path

import pyarrow.parquet as pq

import checks
from checks import published_bytes, save
from discreet import load_model, verify
from instances import PERSON_ROLES, ROLES, people


def leaf_of(model: dict, row: dict) -> int:
    """The number of the node that a row comes to; a cell is None when it is missing."""
    number = 0
    while "class" not in model["nodes"][number]:
        node = model["nodes"][number]
        value = row[node["column"]]
        if "cut" in node:
            cut = math.inf if node["cut"] is None else node["cut"]
            number = node["below"] if (math.inf if value is None else value) < cut else node["not_below"]
        elif value is None:
            number = node["otherwise"] if node["missing"] is None else node["missing"]
        else:
            path = model["values"][node["column"]].get(value)
            number = node["otherwise"] if path is None else node["branches"].get(path[node["level"]], node["otherwise"])
    return number


def members(model: dict, rows: list[dict]) -> dict[int, list[int]]:
    """The rows that come to each leaf."""
    found: dict[int, list[int]] = {n: [] for n, node in enumerate(model["nodes"]) if "class" in node}
    for place, row in enumerate(rows):
        found[leaf_of(model, row)].append(place)
    return found


def smallest(model: dict, rows: list[dict], target: str, whose: list, *, public_class: bool) -> int:
    """Persons behind the smallest leaf, shown count or, where the class is public, class of a leaf."""
    sizes = []
    for number, inside in members(model, rows).items():
        sizes.append(len({whose[i] for i in inside}))
        counts = model["nodes"][number]["counts"]
        if counts is not None:
            assert counts == [sum(rows[i][target] == label for i in inside) for label in model["classes"]]
            assert sum(counts) == len(inside)
        if counts is not None or public_class:
            of_class = [{whose[i] for i in inside if rows[i][target] == c} for c in {r[target] for r in rows}]
            sizes += [len(persons) for persons in of_class if persons]
    return min(sizes)


def records(frame) -> list[dict]:
    plain = frame.astype(object).where(frame.notna(), None)
    return plain.to_dict("records")


def read(folder: Path) -> dict:
    assert {path.name for path in folder.iterdir()} == {"model.json", "certificate.json"}
    return json.loads((folder / "model.json").read_text(encoding="utf-8"))


def model_promise_holds_on_the_saved_files(instance, tmp_path):
    rows = records(people())
    for k in (2, 3, 5, 10, 40):
        method = instance.make(k)
        release = method.release(people(), ROLES)
        folder = release.save(tmp_path / f"k{k}")
        found = smallest(read(folder / "release"), rows, "again", range(len(rows)), public_class=method.public_class)
        assert found >= release.verdict.measured >= k
        assert release.certificate.verdict.kind == "owner"
        assert verify(folder / "release").holds
        again = verify(folder / "release", owner=folder / "owner")
        assert again.holds, again.problems
        assert again.verdict == release.verdict


def model_persons_count_instead_of_rows(instance, tmp_path):
    frame, method = people(), instance.make(5)
    release = method.release(frame, PERSON_ROLES)
    folder = release.save(tmp_path / "out")
    whose = pq.read_table(folder / "owner" / "persons.parquet").column("person").to_pylist()
    assert len(set(zip(whose, frame["who"], strict=True))) == len(set(whose)) == frame["who"].nunique()
    model = read(folder / "release")
    assert smallest(model, records(frame), "again", whose, public_class=method.public_class) >= 5
    assert model["counted"] == release.certificate.counted == "persons"
    assert "who" not in release.columns
    assert verify(folder / "release", owner=folder / "owner").verdict == release.verdict


def model_row_order_tells_nothing(instance, tmp_path):
    frame = people()
    one = save(instance.make(5), tmp_path / "one", frame)
    other = save(instance.make(5), tmp_path / "other", frame.sample(frac=1, random_state=1))
    assert published_bytes(one) == published_bytes(other)


def model_that_is_loaded_answers_as_the_one_that_was_made(instance, tmp_path):
    method = instance.make(5)
    strange = people().assign(age=lambda f: f["age"] * 3 - 100, town="Nowhere", job=None)
    for data in (people(), strange):
        loaded = load_model(save(method, tmp_path / str(len(list(tmp_path.iterdir())))))
        assert loaded.predict(data).tolist() == method.predict(data).tolist()
        assert len(loaded.predict_proba(data)) == len(data)
    assert instance.make(5).fit(people(), ROLES).tree_.nodes == method.tree_.nodes


def model_names_only_columns_it_asks_about(instance, tmp_path):
    folder = save(instance.make(3), tmp_path / "out")
    asked = {node["column"] for node in read(folder)["nodes"] if "column" in node}
    assert {column["name"] for column in read(folder)["columns"]} == asked | {"again"}
    assert asked <= set(ROLES.quasi)
    content = published_bytes(folder)
    assert not any(name.encode() in content for name in ("hidden_column", "stay", "gout"))


MODEL_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("model_")] + [
    checks.check_nothing_hidden_survives_in_any_byte,
    checks.check_no_value_that_few_persons_have_is_published,
    checks.check_same_seed_same_bytes,
    checks.check_the_seed_is_not_published,
    checks.check_every_kind_of_frame_gives_the_same_release,
    checks.check_arguments_are_not_changed,
    checks.check_impossible_is_an_error_and_writes_nothing,
    checks.check_errors_hold_no_cell_value,
    checks.check_rows_without_a_label_are_left_out,
    checks.check_the_certificate_holds_nothing_private,
]
