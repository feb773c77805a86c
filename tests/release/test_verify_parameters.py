# SPDX-License-Identifier: Apache-2.0
"""The lists that verify checks by agree with the methods; and releases that are not the usual ones still verify."""

import datetime
import json
import subprocess
import sys
import warnings
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from discreet import (
    BreachAwareSelector,
    DeltaSketch,
    ExponentialSelector,
    GreedySelector,
    KActus2,
    KAdet,
    KmSelector,
    LaplaceSelector,
    Mondrian,
    OptimalSelector,
    PrivateFwell,
    PrivateTable,
    Roles,
    Table,
    TopDownSpecialization,
    TreeLadder,
    VarianceSketch,
    verify,
)
from discreet.methods import METHODS
from discreet.methods.noise.private_fwell_splits import UNIT
from discreet.privacy.noise import Noise
from discreet.release import verify_noise as noise
from discreet.release.certificate import Certificate
from discreet.release.verify_parameters import PARAMETERS, allows, parameter_problems
from instances import DOMAIN, INSTANCES, PERSON_ROLES, ROLES, SAMPLE, TOWNS, baskets, people

QUASI_DOMAIN = {name: DOMAIN[name] for name in ROLES.quasi}
DATED = DOMAIN | {"age": {"cuts": ["1950-01-01", "1980-01-01"]}}


def test_every_method_has_its_parameters_in_the_list():
    """A new parameter of a method joins release/verify_parameters.py, with its kind."""
    assert set(PARAMETERS) == set(METHODS)
    for name, cls in METHODS.items():
        stated = set(cls()._public_parameters())
        assert stated == set(PARAMETERS[name]), name


@pytest.mark.parametrize("name", INSTANCES)
def test_what_a_method_states_is_allowed(name):
    method = INSTANCES[name].make(5)
    stated = method._public_parameters()
    if stated.get("domain") is not None:  # stated as it was read
        del stated["domain"]
        assert all(any(allows(kind, value) for kind in PARAMETERS[method.name][n]) for n, value in stated.items())
    else:
        assert not parameter_problems(method.name, stated) or method.name == "private-table"


def test_the_sensitivities_are_those_of_the_methods():
    assert noise._UNIT == UNIT
    for rows in (2, 3, 150, 10_001):
        ranks = PrivateFwell(1.0, strategy="ranks").mechanism(rows, 20)
        assert ranks.sensitivity == 2 * rows - 3
        for blocks in (None, 3):
            method = PrivateFwell(1.0, bounds=(0, 1), strategy="blocks", blocks=blocks)
            assert method.mechanism(rows, 20).noise.mechanism == "euclidean"


SINGLE, PAIRS, TRIPLE = Noise("geometric", 8, 8.0), Noise("geometric", 6, 6.0), Noise("geometric", 2, 2.0)
PICKS, ROWS_COUNTED = Noise("permute-and-flip", 2, 8.0, picks=2), Noise("geometric", 2, 2.0)
OLDER = Noise("exponential", 2, 8.0, picks=3)
SIZES = (2, 3, 3, 3, 3)  # the label and four columns: at most three pairs
STATED = {"delta": 0.0, "neighbours": "replace-one", "rows_per_person": None}


@pytest.mark.parametrize(
    "uses",
    [
        [SINGLE],
        [SINGLE, PICKS],
        [SINGLE, OLDER, PAIRS],  # as earlier versions picked
        [SINGLE, PICKS, PAIRS],
        [SINGLE, PICKS, SINGLE],  # none was picked: the columns again
        [SINGLE, PICKS, PAIRS, PICKS, TRIPLE],
        [SINGLE, PICKS, PAIRS, PAIRS],  # no triple to pick: the pairs again
    ],
)
def test_steps_of_the_model_of_marginals_are_known(uses):
    assert noise._of_marginals(uses, SIZES, 2, 1, STATED) == ""
    private = STATED | {"rows_per_person": 1}
    assert noise._of_marginals([ROWS_COUNTED, *uses], SIZES, 2, 1, private) == ""
    assert noise._of_marginals([ROWS_COUNTED, *uses], SIZES, 2, 1, STATED)  # public: nobody counts them


@pytest.mark.parametrize(
    "uses",
    [
        [PAIRS],
        [Noise("geometric", 4, 4.0)],  # half the sensitivity
        [SINGLE, PAIRS],
        [SINGLE, replace(PICKS, picks=4)],
        [SINGLE, replace(PICKS, sensitivity=1)],
        [SINGLE, replace(PICKS, mechanism="laplace-top")],
        [SINGLE, PICKS, Noise("geometric", 10, 10.0)],
        [SINGLE, PICKS, PAIRS, replace(PICKS, picks=3), TRIPLE],
        [SINGLE, PICKS, PAIRS, PICKS, SINGLE],
        [SINGLE, PICKS, PAIRS, PICKS, TRIPLE, TRIPLE],
    ],
)
def test_steps_that_no_run_has_are_found(uses):
    assert noise._of_marginals(uses, SIZES, 2, 1, STATED)


TWO, TWO_MORE, THREE = Noise("geometric", 4, 4.0), Noise("geometric", 4, 3.0), Noise("geometric", 6, 6.0)
LEVELS = (2, 3, 7, 3, 7)  # two columns of three levels and two of seven: by their levels two at once


@pytest.mark.parametrize(
    ("uses", "fine"),
    [
        ([TWO, TWO_MORE], True),
        ([TWO, TWO_MORE, PICKS], True),
        ([TWO, TWO_MORE, PICKS, TWO, TWO_MORE], True),
        ([TWO, TWO_MORE, PICKS, PAIRS, PICKS, TRIPLE], True),
        ([SINGLE, PICKS, SINGLE], True),  # as earlier versions counted
        ([TRIPLE, TRIPLE, TWO], True),  # one with the label, the others alone
        ([TWO, TRIPLE, TRIPLE, PICKS, TWO, TRIPLE, TRIPLE], True),
        ([TRIPLE, TRIPLE, THREE], False),  # one too many
        ([TWO], False),  # the others were not counted
        ([TWO, THREE], False),
        ([TRIPLE, THREE], False),  # one and three
        ([TWO, PICKS, TWO_MORE], False),
        ([TWO, TWO_MORE, TWO], False),
        ([TWO, TWO_MORE, PICKS, TWO, TWO_MORE, TWO], False),
    ],
)
def test_columns_are_counted_by_their_levels(uses, fine):
    assert (noise._of_marginals(uses, LEVELS, 2, 1, STATED) == "") == fine
    private = STATED | {"rows_per_person": 1}
    assert (noise._of_marginals([ROWS_COUNTED, *uses], LEVELS, 2, 1, private) == "") == fine


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("epsilon", [0.1, 500.0])
def test_noise_of_the_model_of_marginals_is_as_verify_expects_it(neighbours, delta, epsilon):
    cells = {"a": ["x", "y"], "b": ["x", "y", "z"], "c": ["x", "y", "z"], "ill": ["no", "yes"]}
    table = Table.of({name: values * (600 // len(values)) for name, values in cells.items()})
    method = PrivateTable(epsilon, cells, delta=delta, neighbours=neighbours, model="marginals")
    release = method.release(table, Roles(target="ill", quasi=["a", "b", "c"]))
    stated = {"delta": delta, "neighbours": neighbours, "rows_per_person": None}
    step = 2 if neighbours == "replace-one" else 1
    assert noise._of_marginals(list(release.noise), [2, 3, 4, 4], step, 1, stated) == ""
    more_columns = [2, 3, 4, 4, 5, 6, 7]  # more than any count of these columns and of the rows may be mistaken for
    assert noise._of_marginals(list(release.noise), more_columns, step, 1, stated)


def test_verify_loads_no_method():
    code = (
        "import sys, discreet.release.verify;"
        "print(sorted(m for m in sys.modules if m.startswith(('discreet.methods', 'discreet.mechanisms', 'sklearn'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def under_older_names(folder):
    """Write a certificate as version 0.1 did, where a parameter had another name; the seal is made anew."""
    place = folder / "certificate.json"
    text = place.read_text(encoding="utf-8")
    for name in ("strategy", "neighbour_search"):
        text = text.replace(f'"{name}": ', '"neighbours": ')
    written = Certificate.model_validate_json(text)
    place.write_bytes(written.sealed(written.files).to_bytes())


@pytest.mark.parametrize("method", [PrivateFwell(1.0, strategy="ranks"), VarianceSketch(3)], ids=lambda m: m.name)
def test_certificates_that_state_older_names_of_parameters_still_hold(tmp_path, method):
    folder = method.release(*baskets()).save(tmp_path / "out")
    owner = folder / "owner" if method.name == "variance-sketch" else None
    assert verify(folder / "release", owner=owner).holds
    under_older_names(folder / "release")
    assert "neighbours" in Certificate.read(folder / "release").method.parameters
    found = verify(folder / "release", owner=owner)
    assert found.holds, found.problems
    assert parameter_problems("private-fwell", {"neighbours": "ranks", "strategy": "ranks"})


# -- nothing that is as it should be is refused ------------------------------------------------------------------------


def distance(baskets, features):
    """A utility of one's own."""
    return float(len(features))


UNUSUAL = {
    "cuts": (GreedySelector(5, cuts={"age": [30, 50.5]}), "table"),
    "several absences": (GreedySelector(5, absences=2, max_features=2), "table"),
    "a short search": (OptimalSelector(5, time_limit=1.5, max_features=2), "baskets"),
    "hierarchies": (Mondrian(5, labels="hierarchy", hierarchies={"town": TOWNS}), "table"),
    "a limit": (Mondrian(5, max_suppressed={"rows": 0.9, "cells": 0.95}), "table"),
    "a limit of cells": (Mondrian(5, max_suppressed=1.0), "table"),
    "sets": (TopDownSpecialization(quasi_sets=[(["age", "sex"], 4), (["town", "job"], 7)]), "table"),
    "sets by name": (TopDownSpecialization(quasi_sets={("age", "sex", "town", "job"): 4}), "table"),
    "detail": (TreeLadder(5, detail=0.5, bins=4, weights={"age": 2.0}), "table"),
    "rows left out": (KActus2(40, swap=1.0, cuts={"age": [40]}), "table"),
    "persons and diversity": (Mondrian(5, l=2), "persons"),
    "persons of a model": (KAdet(5, hierarchies={"town": TOWNS}), "persons"),
    "majority": (BreachAwareSelector(alpha="majority", attackers=("c45",), folds=3), "table"),
    "two sensitive columns": (BreachAwareSelector(alpha=1.0, attackers="c45", folds=3), "two"),
    "a sensitive target": (BreachAwareSelector(alpha=1.0, attackers=("c45",), folds=3), "target"),
    "persons inferred": (BreachAwareSelector(alpha=1.0, attackers=("c45",), folds=3), "persons"),
    "classes of counts": (DeltaSketch(0.3, count_classes=[1, 2, 4, 8, 16], information=None), "determined"),
    "no classes of counts": (VarianceSketch(3, count_classes=None, max_components=8), "baskets"),
    "approximate": (VarianceSketch(3, raise_counts=False), "baskets"),
    "a domain": (ExponentialSelector(1.0, 4, domain=QUASI_DOMAIN), "table"),
    "one name": (LaplaceSelector(0.1, 1), "baskets"),
    "bounds by column": (PrivateFwell(2.0, bounds={f"x{j}": (0, 1) for j in range(14)}, n_features=2), "matrix"),
    "bounds in lists": (PrivateFwell(2.0, bounds=([0] * 14, [1] * 14), strategy="splits"), "matrix"),
    "ten rows a block": (PrivateFwell(2.0, bounds=(0, 1), strategy="blocks"), "matrix"),
    "sample": (PrivateFwell(2.0, bounds=(0, 1), strategy="reference", reference=(SAMPLE, [0, 1] * 3)), "matrix"),
    "recursive": (Mondrian(5, l=2, diversity="recursive", c=2.5), "table"),
    "everything": (Mondrian(3, l=1.4, diversity="entropy", t=0.5, label_known=True), "two"),
    "everything by persons": (KActus2(3, l=2, t=0.5, label_known=True, pool=True), "persons"),
    "a sampled tenth": (Mondrian(20, population=0.1, l=2), "persons"),
    "a population": (Mondrian(8, population=people(800), l=2), "table"),
    "a population and persons": (Mondrian(8, population=people(800)), "persons"),
    "many known items": (KmSelector(4, m=16), "baskets"),
    "known labels": (OptimalSelector(4, utility="distcnt", label_known=True, time_limit=5.0), "baskets"),
    "known labels and absences": (GreedySelector(3, absences=1, label_known=True), "baskets"),
    "add or remove": (PrivateTable(1.0, DOMAIN, neighbours="add-remove"), "table"),
    "drawn by persons": (PrivateTable(1.0, DOMAIN, rows_per_person=3, delta=1e-6), "persons"),
    "few cells": (PrivateTable(1.0, {"sex": ["f", "m"], "again": ["no", "yes"]}), "sex"),
    "one pair": (PrivateTable(1.0, {"sex": ["f", "m"], "age": DOMAIN["age"], "again": ["no", "yes"]}), "age"),
}
GIVEN = {
    "two": Roles(target="again", quasi=ROLES.quasi, sensitive=("ill", "sex2")),
    "target": Roles(target="ill", quasi=ROLES.quasi, sensitive=("ill",)),
    "sex": Roles(target="again", quasi=["sex"]),
    "age": Roles(target="again", quasi=["sex", "age"]),
    "table": ROLES,
    "persons": PERSON_ROLES,
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_parameters_verify(name, tmp_path):
    method, given = UNUSUAL[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if given in GIVEN:
            release = method.release(people().assign(sex2=people()["sex"].to_numpy()[::-1]), GIVEN[given])
        else:
            X, y = baskets()
            if given == "determined":
                method.set_params(allow_determined=True)
            release = method.release(X.astype(float) if given == "matrix" else X, y)
    for format in ("csv", "parquet"):
        out = release.save(tmp_path / format, format=format)
        for owner in (None, out / "owner"):
            found = verify(out / "release", owner=owner)
            assert found.holds, found.problems


def forged(folder, change):
    """Verify a folder whose certificate says something else; the seal is made anew."""
    place = folder / "certificate.json"
    honest = place.read_bytes()
    content = json.loads(honest)
    change(content)
    written = Certificate.model_validate(content)
    place.write_bytes(written.sealed(written.files).to_bytes())
    found = verify(folder)
    place.write_bytes(honest)
    return found


def test_promises_of_groups_are_those_of_the_stated_parameters(tmp_path):
    release = Mondrian(4, l=2, t=0.5).release(people(), ROLES)
    folder = release.save(tmp_path / "out") / "release"
    assert forged(folder, lambda content: None).holds
    for name, value in [
        ("l", 3), ("l", None), ("t", 0.4), ("t", None), ("label_known", True), ("diversity", "entropy"), ("c", 2.0),
        ("distance", "ordered"), ("population", 0.5), ("population", "given"), ("t", float("1e-320")), ("l", 10**400),
    ]:  # fmt: skip
        found = forged(folder, lambda content, n=name, v=value: content["method"]["parameters"].update({n: v}))
        assert not found.holds, (name, value)

    earlier = Mondrian(4, l=2).release(people(), ROLES).save(tmp_path / "earlier") / "release"
    later = ("diversity", "c", "t", "distance", "label_known", "least", "population")
    assert forged(earlier, lambda content: [content["method"]["parameters"].pop(n) for n in later]).holds  # version 0.1
    for name in (*later, "l"):
        assert not forged(earlier, lambda content, n=name: content["method"]["parameters"].pop(n)).holds

    def known_labels(content):
        content["promise"]["promises"][0]["label_known"] = True
        content["method"]["parameters"]["label_known"] = True
        for verdict in (content["verdict"], content["verdict"]["parts"][0]):
            verdict["promise"] = verdict["promise"].replace("4-anonymity", "4-anonymity with known labels")

    assert release.verdict.parts[0].with_label < 4
    assert not forged(folder, known_labels).holds


def test_a_forged_number_of_known_items_does_not_hold(tmp_path):
    folder = KmSelector(5, m=1).release(*baskets()).save(tmp_path / "out") / "release"

    def more(content):
        content["promise"]["m"] = content["method"]["parameters"]["m"] = 3
        content["verdict"]["promise"] = "(5, 3)-anonymity"

    def too_many(content):
        content["promise"]["m"] = content["method"]["parameters"]["m"] = 17

    for change in (more, too_many, lambda content: content["promise"].update({"m": 2})):
        assert not forged(folder, change).holds


def columns(n=60):
    """Columns of every type that a table may have, awkward names and cells among them."""
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=7 * (i % 5)) for i in range(n)]
    return pa.table(
        {
            "y": ["a", "b"] * (n // 2),
            "q": pa.array([i % 3 for i in range(n)], pa.int8()),
            "date": pa.array(days),
            "moment": pa.array([datetime.datetime(2020, 1, 1 + i % 4, 12, 30, 1) for i in range(n)]),
            "float32": pa.array([i % 4 / 4 for i in range(n)], pa.float32()),
            "tenth": pa.array([(i % 7) / 10 for i in range(n)]),
            "huge": pa.array([1e300 * (i % 2) for i in range(n)]),
            "large": pa.array([2**60 + i % 2 for i in range(n)]),
            "decimal": pa.array([Decimal("1.10") + i % 2 for i in range(n)]),
            "truth": pa.array([i % 2 == 0 for i in range(n)]),
            "missing": pa.array([None if i % 2 else "x" for i in range(n)]),
            "nothing": pa.array([None] * n, pa.string()),
            "numbers with gaps": pa.array([None if i % 2 else 7 for i in range(n)]),
            "coded": pa.array(["u", "v"] * (n // 2)).dictionary_encode(),
            'a "quoted", name\n': ['c, "d"\n' if i % 2 else "é\u2028ü" for i in range(n)],
            "=formula": ["=1+1" if i % 2 else "-x" for i in range(n)],
        }
    )


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("name", columns().column_names[2:])
def test_columns_of_every_type_are_read_back_as_they_were_written(name, format, tmp_path):
    for roles in (Roles(target="y", quasi=["q"], other=[name]), Roles(target="y", quasi=["q", name])):
        release = Mondrian(3).release(columns(), roles)
        found = verify(release.save(tmp_path / f"out{len(roles.quasi)}", format=format) / "release")
        assert found.holds, found.problems


def test_pandas_and_numpy_types_verify(tmp_path):
    frame = pd.DataFrame(
        {
            "y": pd.Categorical(["a", "b"] * 20),
            "q": np.arange(40) % 4,
            "o": pd.array([1, None] * 20, dtype="Int64"),
            "t": pd.to_datetime(["2020-01-01", None] * 20),
            "b": pd.array([True, None] * 20, dtype="boolean"),
        }
    )
    release = Mondrian(3).release(frame, Roles(target="y", quasi=["q"], other=["o", "t", "b"]))
    for format in ("csv", "parquet"):
        assert verify(release.save(tmp_path / format, format=format) / "release").holds
