# SPDX-License-Identifier: Apache-2.0
"""Hostile folders: real releases, changed by somebody who can compute hashes and seals as well as anybody.

Each case says what must come of it:
    refused    it must not hold
    told       it may hold, and a remark must say what the words of the case say
    untold     it may hold: the files cannot tell, and the promise is kept on them (a plain count decides)
The list is the same in every run: it comes from a seed and from the names of the fields, not from the figures.
"""

import hashlib
import json
import os
import random
import shutil
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from hostile.bases import BASES
from hostile.plain import certificate_of, group_sizes, restate, rows_of

SEED = 20_260_101
PER_BASE = 20  # fields of a certificate that are changed, for each base
RAW = [["Ann", 34, "80331"], ["Bob", 29, "80333"]]
WORD = "holder's word"

# What no file tells: parameters that leave no trace, and figures that compare with the private table.
UNTOLD = {
    "discreet",
    *(f"changes.{name}" for name in ("changed_cells", "swapped_cells", "rows_dropped", "quasi_cells")),
}


@dataclass(frozen=True)
class Case:
    name: str
    base: str
    change: Callable
    expected: str = "refused"
    words: str = ""
    heavy: bool = False  # run in a process of its own, with limits
    options: tuple = ()


# -- the tools of a forger -------------------------------------------------------------------------------------------


def canonical(content, indent):
    return (json.dumps(content, indent=indent, ensure_ascii=False) + "\n").encode()


def seal(stated):
    bare = {name: value for name, value in stated.items() if name != "seal"}
    return hashlib.sha256(json.dumps(bare, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def reseal(folder, stated, *, hashes=True):
    """Write a certificate whose hashes, sizes and seal are right."""
    if hashes:
        for name in list(stated["files"]):
            content = (folder / name).read_bytes()
            stated["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    stated["seal"] = seal(stated)
    (folder / "certificate.json").write_bytes(canonical(stated, 2))


def forged(change, *, hashes=True):
    """A change of what the certificate states, sealed again."""

    def apply(folder):
        stated = certificate_of(folder)
        change(stated)
        reseal(folder, stated, hashes=hashes)

    return apply


def without_record(folder, stated):
    if stated["files"].pop("recoding.json", None):
        (folder / "recoding.json").unlink()


def rewritten(change, *, consistent=False):
    """A change of the published rows, hashed and sealed again; a consistent forger states all figures as they are."""

    def apply(folder):
        stated, rows = certificate_of(folder), rows_of(folder)
        made = change(rows, stated)
        rows = rows if made is None else made
        write_rows(folder, stated, rows)
        if consistent:
            without_record(folder, stated)
            restate(stated, rows)
        reseal(folder, stated)

    return apply


def write_rows(folder, stated, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    if (folder / "data.parquet").exists():
        schema = pq.read_schema(folder / "data.parquet")
        known = {field.name: field.type for field in schema}
        arrays = {name: pa.array([row.get(name) for row in rows], known.get(name)) for name in names}
        pq.write_table(pa.table(arrays), folder / "data.parquet", compression="none", store_schema=False)
        return

    numbers = {column["name"] for column in stated["columns"] if column["kind"] == "number"}

    def cell(row, name):
        text = "" if row.get(name) is None else str(row[name])
        return text if name in numbers or not text else '"' + text.replace('"', '""') + '"'

    lines = [",".join(f'"{name}"' for name in names), *(",".join(cell(row, n) for n in names) for row in rows)]
    (folder / "data.csv").write_bytes(("\n".join(lines) + "\n").encode())


def document(change):
    """A change of a published document, hashed and sealed again."""

    def apply(folder):
        stated = certificate_of(folder)
        (name,) = (name for name in stated["files"] if name != "recoding.json")
        content = json.loads((folder / name).read_text(encoding="utf-8"))
        change(content)
        (folder / name).write_bytes(canonical(content, 1))
        if content.get("columns"):
            stated["columns"] = content["columns"]
        reseal(folder, stated)

    return apply


# -- every field of a certificate or document ------------------------------------------------------------------------


def leaves(content, path=()):
    """The paths of all values, containers included."""
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    if path:
        yield path
    for name, value in inside:
        yield from leaves(value, (*path, name))


def changed(value, dice):
    """Another value in the place of this one."""
    if isinstance(value, bool):
        return dice.choice([not value, 1, None])
    if isinstance(value, int):
        return dice.choice([value + 1, value - 1, -value - 3, 0, 10**30, str(value), value + 0.5])
    if isinstance(value, float):
        return dice.choice([value + 1, value / 2, -1.0, 0.0, 1e300, None])
    if isinstance(value, str):
        return dice.choice([value + "x", "", "\x1b[31m", "../" + value, RAW])
    if isinstance(value, list):
        return dice.choice([value[:-1], value + value, [*value, RAW], RAW, None]) if value else RAW
    if isinstance(value, dict):
        return dice.choice([value | {"rows": RAW}, dict(list(value.items())[:-1]), RAW])
    return dice.choice([0, "x", RAW])


def put(content, path, value):
    for name in path[:-1]:
        content = content[name]
    if content[path[-1]] == value and type(content[path[-1]]) is type(value):
        return False
    content[path[-1]] = value
    return True


def any_field(number):
    """A change of a field that is drawn when the folder is made: the names of the fields are those of the base."""

    def apply(folder):
        stated, dice = certificate_of(folder), random.Random(f"{SEED} {number}")
        paths = [path for path in leaves(stated) if path[0] not in ("files", "seal")]
        path = dice.choice(paths)
        while not put(stated, path, changed(value_at(stated, path), dice)):
            path = dice.choice(paths)
        reseal(folder, stated, hashes=False)
        return ".".join(map(str, path))

    return apply


def any_value(number):
    """The same of a document."""

    def apply(folder):
        stated, dice = certificate_of(folder), random.Random(f"{SEED} {number}")
        (name,) = stated["files"]
        content = json.loads((folder / name).read_text(encoding="utf-8"))
        paths = list(leaves(content))
        path = dice.choice(paths)
        while not put(content, path, changed(value_at(content, path), dice)):
            path = dice.choice(paths)
        (folder / name).write_bytes(canonical(content, 1))
        reseal(folder, stated)
        return "document." + ".".join(map(str, path))

    return apply


def value_at(content, path):
    for name in path:
        content = content[name]
    return content


# -- the list --------------------------------------------------------------------------------------------------------


def cases() -> list[Case]:
    """All of them, in a fixed order, each with a name of its own."""
    listed = [
        *_fields(),
        *_certificates(),
        *_roles(),
        *_rows(),
        *_owners_words(),
        *_documents(),
        *_noise(),
        *_json(),
        *_names(),
        *_kinds_of_files(),
        *_parquet(),
        *_signatures(),
    ]
    twice = [name for name, n in Counter(case.name for case in listed).items() if n > 1]
    assert not twice, twice
    return listed


def _fields():
    for base in BASES:
        for number in range(PER_BASE):
            yield Case(f"{base}: field {number}", base, any_field(f"{base} {number}"), "untold")
    for base in ("model", "model-class", "laplace", "exponential", "strata", "ranks", "splits", "blocks"):
        for number in range(10):
            yield Case(f"{base}: value {number}", base, any_value(f"{base} value {number}"), "untold")


def _set(**values):
    return forged(lambda stated: stated.update(values))


def _verdict(**values):
    return forged(lambda stated: stated["verdict"].update(values))


def _certificates():
    """Figures of the certificate that say something else than the files, sealed again."""
    for base in ("mondrian", "mondrian-parquet", "baskets", "persons", "kactus2"):
        for k in (2, 6, 50):
            yield Case(f"{base}: k {k}", base, forged(lambda s, k=k: s["promise"].update(k=k)))
            yield Case(f"{base}: k {k} everywhere", base, forged(lambda s, k=k: _all_k(s, k)), "untold")
        for name, value in (
            ("quasi_cells", 1),
            ("suppressed_cells", 7),
            ("changed_cells", 10**9),
            ("swapped_cells", -1),
        ):
            yield Case(f"{base}: {name} {value}", base, forged(lambda s, n=name, v=value: s["changes"].update({n: v})))
        yield Case(f"{base}: dropped", base, forged(lambda s: s["changes"].update(rows_dropped=500)), *_by_base(base))
        yield Case(f"{base}: raw rows", base, forged(lambda s: s["method"]["parameters"].update(rows=RAW)))
        yield Case(f"{base}: raw rows as a note", base, _verdict(notes=[json.dumps(RAW)]))
        yield Case(f"{base}: raw rows as details", base, _verdict(details={"Ann 34": 1.0}))
        yield Case(f"{base}: raw rows as a method", base, forged(lambda s: s["method"].update(name="Ann 34, Bob 29")))
        yield Case(f"{base}: nothing unprotected", base, _set(does_not_protect="Nothing is left open."))
        yield Case(f"{base}: no promise", base, _set(promise={"name": "all of", "promises": []}))
        yield Case(f"{base}: evidence", base, _verdict(kind="proved"))
        yield Case(f"{base}: falls short", base, _verdict(rows_short=3))
    for words, change in _details().items():
        yield Case(f"mondrian: detail {words}", "mondrian", forged(lambda s, c=change: c(s["detail"])))
    yield Case("items: detail of another column", "items", forged(lambda s: s["detail"]["columns"].update(ill=0.1)))
    yield Case("items: no detail of town", "items", forged(lambda s: s["detail"]["columns"].pop("town")))
    yield Case("kactus2: detail of a blank column", "kactus2", forged(lambda s: s["detail"]["columns"].update(sex=0.1)))
    yield Case("baskets: detail of the whole", "baskets", forged(lambda s: s["detail"].update(whole=0.1)))
    yield Case("baskets: detail of an item", "baskets", forged(lambda s: s["detail"]["columns"].update(x3=0.1)))
    yield Case("private: detail", "private", forged(lambda s: s.update(detail={"whole": 0.5, "columns": {"age": 0.5}})))
    yield Case("diverse: l 3", "diverse", forged(lambda s: s["promise"]["promises"][1].update(l=3)))
    yield Case("diverse: without l", "diverse", forged(_without_l))
    many = {"name": "all of", "promises": [{"name": "k-anonymity", "k": 5}] * 50_000}
    yield Case("mondrian: 50,000 promises", "mondrian", _set(promise=many), heavy=True)
    sets = [["age", "sex", "town", "job"]] * 50_000
    yield Case("mondrian: 50,000 sets", "mondrian", forged(lambda s: s["promise"].update(sets=sets)), heavy=True)
    yield Case("mondrian: a long name", "mondrian", forged(lambda s: s["promise"].update(name="x" * 10**7)), heavy=True)
    yield Case("mondrian: a long k", "mondrian", forged(lambda s: s["promise"].update(k="x" * 10**7)), heavy=True)
    yield Case("mondrian-parquet: rows without end", "mondrian-parquet", _set(rows=10**30))
    yield Case("mondrian: sets", "mondrian", _of_sets, "told", "anyone who knows columns of several sets")
    yield Case("mondrian: by nobody", "mondrian", _private_by("magic"), "told", "The method 'magic' is not known here")
    yield Case("baskets: by nobody", "baskets", _private_by("magic"), "told", WORD)
    for method in ("private-table", "mondrian", "laplace-select"):
        yield Case(f"mondrian: private by {method}", "mondrian", _private_by(method))
    yield Case("mondrian: little", "mondrian", _private_by("magic", epsilon=50.0), "told", "asks for little")
    yield Case("baskets: many pairs", "baskets", _many_baskets, heavy=True)
    yield Case("tds: half", "tds", forged(lambda s: s["promise"].update(columns=["age"])))


def _details():
    """Details that anyone can see to be wrong."""
    return {
        "above 1": lambda said: said["columns"].update(age=1.5),
        "below 0": lambda said: said.update(whole=-0.1),
        "of the whole above the columns": lambda said: said.update(whole=0.9),
        "of a person": lambda said: said["columns"].update({"Ann 34": 0.1}),
        "of a column that is not a quasi-identifier": lambda said: said["columns"].update(ill=0.1),
        "of one column alone": lambda said: said.update(columns={"sex": 1.0}),
        "of none": lambda said: said.update(columns={}, whole=0.0),
        "in words": lambda said: said.update(whole="much"),
        "with rows": lambda said: said.update(rows=RAW),
    }


def _of_sets(folder):
    """Each column by itself: true, and next to nothing."""
    stated, rows = certificate_of(folder), rows_of(folder)
    names = ["age", "sex", "town", "job"]
    worst = min((group_sizes(rows, [name]) for name in names), key=lambda sizes: min(sizes.values()))
    labelled = min(min(group_sizes(rows, [name, "again"]).values()) for name in names)
    stated["promise"]["sets"] = [[name] for name in names]
    stated["verdict"] |= {"promise": "5-anonymity of 4 column sets", "measured": float(min(worst.values()))}
    stated["verdict"] |= {"with_label": float(labelled), "details": {"groups": float(len(worst)), "unique rows": 0.0}}
    reseal(folder, stated)


def _private_by(method, epsilon=1.0):
    """The same rows as if they had been drawn."""

    def change(stated):
        use = {"mechanism": "geometric", "sensitivity": 2, "scale": 2 / epsilon, "picks": 1}
        use |= {"delta": 0.0, "neighbours": "replace-one"}
        stated["promise"] = {"name": "differential privacy", "epsilon": epsilon, "delta": 0.0}
        stated["promise"] |= {"neighbours": "replace-one"}
        stated["method"] = {"name": method, "parameters": {}}
        stated["noise"] = [use]
        stated.pop("detail", None)  # which nobody states beside noise
        stated["does_not_protect"] = (
            "What is true of many persons together is not hidden, and may be applied to one of them. Several releases"
            " of the same persons add up: the epsilons are summed."
        )
        stated["verdict"] |= {
            "promise": f"{epsilon:g}-differential privacy",
            "required": epsilon,
            "measured": epsilon,
            "rows": 0,
            "kind": "proved",
            "with_label": None,
            "details": {},
            "notes": [
                f"geometric: scale {2 / epsilon:g}, L1 sensitivity 2 (replace-one neighbours), epsilon {epsilon:g};"
                " proof: docs/privacy/differential_privacy.md#geometric-noise"
            ],
        }

    return forged(change)


def _many_baskets(folder):
    """60,000 different rows, each to be compared with each."""
    stated, dice = certificate_of(folder), random.Random(SEED)
    names = [f"x{number}" for number in range(40)]
    rows = [[name for name in names if dice.random() < 0.5] for _ in range(60_000)]
    _plainly(pa.table({"label": ["a", "b"] * 30_000, "items": rows}), folder / "data.parquet")
    stated["columns"][1:] = [{"name": name, "role": "quasi", "kind": "item"} for name in names]
    stated["rows"] = stated["verdict"]["rows"] = len(rows)
    reseal(folder, stated)


def _by_base(base):
    return ("told", "counted in persons") if base == "persons" else ("refused",)


def _all_k(stated, k):
    stated["promise"]["k"] = stated["method"]["parameters"]["k"] = k
    stated["verdict"] |= {"required": float(k), "measured": float(max(k, stated["verdict"]["measured"]))}
    stated["verdict"]["promise"] = stated["verdict"]["promise"].replace("5", str(k))


def _without_l(stated):
    stated["promise"] = stated["promise"]["promises"][0]
    stated["verdict"] = stated["verdict"]["parts"][0]


def _roles():
    """Columns whose role was changed. With all figures stated as they then are the promise is true, and less."""
    for base in ("mondrian", "mondrian-parquet", "kactus2", "ladder"):
        for name in ("age", "sex", "town", "job"):
            for role in ("other", "sensitive"):

                def moved(rows, stated, name=name, role=role):
                    next(c for c in stated["columns"] if c["name"] == name)["role"] = role

                yield Case(f"{base}: {name} {role}", base, forged(lambda s, m=moved: m(None, s)))
                yield Case(
                    f"{base}: {name} {role}, restated", base, rewritten(moved, consistent=True), "told", repr(name)
                )
    yield Case("mondrian: no quasi", "mondrian", rewritten(_no_quasi))
    yield Case("baskets: item other", "baskets", forged(lambda s: s["columns"][1].update(role="other")))
    yield Case("mondrian: two targets", "mondrian", forged(lambda s: s["columns"][0].update(role="target")))


def _no_quasi(rows, stated):
    for column in stated["columns"]:
        column["role"] = "other" if column["role"] == "quasi" else column["role"]


def _rows():
    """Changes of the published rows, with hashes and seal made anew, and with all figures stated as they then are."""
    changes = {
        "a row alone": lambda rows, s: rows[0].update(town="Elsewhere"),
        "a column more": lambda rows, s: [row | {"name": f"Ann {n}"} for n, row in enumerate(rows)],
        "a row more": lambda rows, s: rows.append(dict(rows[0])),
        "a row less": lambda rows, s: rows[:-1],
        "NaN": lambda rows, s: rows[0].update(age="NaN"),
        "infinite": lambda rows, s: rows[0].update(age="inf"),
        "a space": lambda rows, s: rows[0].update(town=f"{rows[0]['town']} "),
        "missing": lambda rows, s: rows[0].update(sex=None),
        "a formula": lambda rows, s: rows[0].update(town="=1+1"),
        "a new line": lambda rows, s: rows[0].update(town="a\nb"),
        "control": lambda rows, s: rows[0].update(town="\x1b[31m"),
        "no rows": lambda rows, s: [],
        "one row": lambda rows, s: rows[:1],
    }
    for base in ("mondrian", "mondrian-parquet", "tds"):
        for name, change in changes.items():
            yield Case(f"{base}: {name}", base, rewritten(change))
            if name not in ("no rows", "a column more"):
                kept = name in ("a row more", "a row less")
                yield Case(
                    f"{base}: {name}, restated",
                    base,
                    rewritten(change, consistent=True),
                    "untold" if kept else "refused",
                )

    def declared(rows, stated):
        stated["columns"].insert(0, {"name": "name", "role": "other", "kind": "category"})
        return [{"name": f"Ann {number}"} | row for number, row in enumerate(rows)]

    yield Case("mondrian: names declared", "mondrian", rewritten(declared, consistent=True), "told", "no other row has")
    yield Case("persons: a row alone", "persons", rewritten(lambda rows, s: rows[0].update(town="Elsewhere")))
    for base in ("private", "private-delta"):
        yield Case(f"{base}: strange cell", base, rewritten(lambda rows, s: rows[0].update(town="Rare-7731")))
        yield Case(f"{base}: raw age", base, rewritten(lambda rows, s: rows[0].update(age="34")))
        yield Case(f"{base}: other rows", base, rewritten(_other_rows, consistent=False), "refused")
    for base in ("baskets", "flip-baskets"):
        yield Case(f"{base}: an item more", base, rewritten(lambda rows, s: rows[0]["items"].append("Ann")))
        yield Case(f"{base}: an item twice", base, rewritten(_twice))
        yield Case(f"{base}: no label", base, rewritten(lambda rows, s: rows[0].update(label=None)))
        yield Case(f"{base}: empty list", base, rewritten(lambda rows, s: rows[0].update(items=None)))
    for base in ("delta-sketch", "variance-sketch"):
        yield Case(f"{base}: no components", base, rewritten(lambda rows, s: rows[0].update(sketch=[])))
        yield Case(f"{base}: too many", base, rewritten(lambda rows, s: rows[0].update(sketch=[1] * 999)))
        yield Case(f"{base}: a row less", base, rewritten(lambda rows, s: rows[:-1]))


def _twice(rows, stated):
    full = next(row for row in rows if row["items"])
    full["items"] = full["items"] * 2


def _other_rows(rows, stated):
    """The first row again and again: the groups that the certificate states are others."""
    return [dict(rows[0]) for _ in rows]


def _owners_words():
    """Figures that only the owner can count must at least keep the promise."""
    for base in ("delta-sketch", "variance-sketch"):
        for measured in (0.0, -1.0, 0.29, 99.0):
            yield Case(f"{base}: measured {measured}", base, _verdict(measured=measured))
        yield Case(f"{base}: required 0", base, _verdict(required=0.0, measured=0.0))
        yield Case(f"{base}: raw rows", base, _verdict(notes=[json.dumps(RAW)]))
        yield Case(f"{base}: cells", base, forged(lambda s: s["changes"].update(suppressed_cells=3)))
        yield Case(f"{base}: components", base, forged(lambda s: s["method"]["parameters"].update(max_components=1)))
    yield Case("breach: measured 9", "breach", _verdict(measured=9.0))
    yield Case("breach: required 9", "breach", _verdict(required=9.0, measured=9.0))
    yield Case("breach: alpha", "breach", forged(lambda s: s["promise"].update(alpha=5.0)))
    yield Case(
        "breach: accuracy", "breach", forged(lambda s: s["verdict"]["details"].update({"attacker's accuracy": 0.1}))
    )
    yield Case(
        "breach: note", "breach", forged(lambda s: s["verdict"].update(notes=[*s["verdict"]["notes"], "Ann 34"]))
    )
    yield Case("breach: share", "breach", forged(_share))
    yield Case("persons: measured", "persons", _verdict(measured=400.0))
    yield Case("persons: too few", "persons", _verdict(measured=4.0))
    yield Case("persons: as rows", "persons", forged(_as_rows), "untold")
    for name, value in (("measured", 400.0), ("measured", 1.0), ("rows", 3), ("details", {"leaves": 1.0})):
        yield Case(f"model: {name} {value}", "model", _verdict(**{name: value}))


def _as_rows(stated):
    stated["counted"] = "rows"
    stated["verdict"]["kind"] = "recomputed"


def _share(stated):
    said = stated["verdict"]["details"]
    baseline = said["attacker's accuracy with all attributes"]
    said["share of the commonest value"] = 0.9
    said["breach increase of the commonest value"] = 0.9 / baseline - 1
    said["advantage over the commonest value"] = said["attacker's accuracy"] - 0.9


def _documents():
    for base in ("model", "model-class", "laplace", "exponential", "strata", "ranks", "splits", "blocks"):
        yield Case(f"{base}: raw rows", base, document(lambda d: d.update(rows=RAW)))
        yield Case(f"{base}: raw rows in a column", base, document(lambda d: d["columns"][0].update(rows=RAW)))
        yield Case(f"{base}: no columns", base, document(lambda d: d.update(columns=[])))
        yield Case(f"{base}: twice", base, document(lambda d: d["columns"].append(d["columns"][0])))
    for base in ("model", "model-class"):
        yield Case(f"{base}: raw rows in a leaf", base, document(lambda d: d["nodes"][-1].update(rows=RAW)))
        yield Case(f"{base}: at least 1", base, document(lambda d: d["nodes"][-1].update(at_least=1)))
        yield Case(f"{base}: at least 99", base, document(lambda d: d["nodes"][-1].update(at_least=99)))
        yield Case(f"{base}: a leaf of one", base, document(_one))
        yield Case(f"{base}: a loop", base, document(_loop))
        yield Case(f"{base}: counted", base, document(lambda d: d.update(counted="persons")))
    yield Case("model-class: a row more", "model-class", document(_one_more))
    yield Case("ranks: ladder", "ranks", document(lambda d: d.update(weights=[0.5 * w for w in d["weights"]])))
    yield Case("ranks: one more", "ranks", document(lambda d: d.update(weights=[w or 0.1 for w in d["weights"]])))
    yield Case("splits: all ones", "splits", document(lambda d: d.update(weights=[1.0] * len(d["weights"]))))
    yield Case("exponential: another name", "exponential", document(_renamed))


def _renamed(content):
    content["names"][0] = content["columns"][0]["name"] = "age=34"


def _one(content):
    leaf = next(node for node in reversed(content["nodes"]) if "class" in node)
    leaf["counts"] = [int(name == leaf["class"]) for name in content["classes"]]


def _one_more(content):
    leaf = next(node for node in reversed(content["nodes"]) if "class" in node)
    leaf["counts"] = [count + 1 for count in leaf["counts"]]


def _loop(content):
    node = next(node for node in content["nodes"] if "column" in node)
    node["below" if "cut" in node else "otherwise"] = 0


def _noise():
    def uses(content):
        return content["noise"]

    changes = {
        "sensitivity 0": lambda use: use.update(sensitivity=0),
        "sensitivity 1": lambda use: use.update(sensitivity=1),
        "sensitivity 0.5": lambda use: use.update(sensitivity=0.5),
        "sensitivity and scale 0": lambda use: use.update(sensitivity=0, scale=1e-9),
        "scale": lambda use: use.update(scale=1e-9),
        "large scale": lambda use: use.update(scale=1e12),
        "mechanism": lambda use: use.update(mechanism="laplace"),
        "picks": lambda use: use.update(picks=99),
        "neighbours": lambda use: use.update(neighbours="add-remove"),
        "raw rows": lambda use: use.update(rows=RAW),
    }
    for name, change in changes.items():
        for base in ("laplace", "exponential", "strata", "ranks", "splits", "blocks"):
            yield Case(f"{base}: noise, {name}", base, document(lambda d, c=change: c(uses(d)[0])))
        for base in ("private", "private-delta"):
            yield Case(f"{base}: noise, {name}", base, forged(lambda s, c=change: c(s["noise"][0])))
    for base in ("private", "private-delta"):
        yield Case(f"{base}: no noise", base, _set(noise=[]))
        yield Case(f"{base}: no statement", base, _set(noise=None))
        yield Case(f"{base}: a use more", base, forged(lambda s: s.update(noise=[*s["noise"], s["noise"][-1]])))
        yield Case(f"{base}: epsilon", base, forged(lambda s: s["promise"].update(epsilon=0.01)))
        yield Case(f"{base}: domain", base, forged(lambda s: s["method"]["parameters"]["domain"].update(x=s["rows"])))
        yield Case(f"{base}: a level less", base, forged(_one_level_less), "untold")
        yield Case(
            f"{base}: persons of 3 rows", base, forged(lambda s: s["method"]["parameters"].update(rows_per_person=3))
        )
    yield Case("laplace: no noise", "laplace", document(lambda d: d.update(noise=[])))
    yield Case("mondrian: noise", "mondrian", _set(noise=[]))
    for base in ("laplace", "private", "blocks"):
        yield Case(f"{base}: as it is", base, lambda folder: None, "told", WORD)


def _one_level_less(stated):
    levels = stated["method"]["parameters"]["domain"]["town"]["values"]
    levels.pop()


_NOT_IN_SIGNATURES = ("NaN", "infinite", "a huge number", "not UTF-8", "other escapes", "a lone surrogate")


def _json():
    def raw(name, change):
        def apply(folder):
            path = folder / name
            path.write_bytes(change(path.read_bytes()))
            if name != "certificate.json":
                stated = certificate_of(folder)
                if name in stated["files"]:
                    reseal(folder, stated)

        return apply

    oddities = {
        "BOM": lambda c: b"\xef\xbb\xbf" + c,
        "UTF-16": lambda c: c.decode().encode("utf-16"),
        "not UTF-8": lambda c: c.replace(b"format", b"form\xff\xfet", 1),
        "a zero byte": lambda c: c + b"\x00",
        "twice": lambda c: c.replace(b"{", b'{"format": 1, ', 1),
        "a key twice": lambda c: c.replace(b"{", b'{"rows": [["Ann", 34]], ', 1),
        "NaN": lambda c: c.replace(b"1", b"NaN", 1),
        "infinite": lambda c: c.replace(b"1", b"1e999", 1),
        "a huge number": lambda c: c.replace(b"1", b"1" * 5000, 1),
        "deep": lambda c: b"[" * 200_000,
        "deep objects": lambda c: b'{"a":' * 50_000,
        "lists": lambda c: b"[" + b"[]," * 4_000_000 + b"[]]",
        "empty": lambda c: b"",
        "cut off": lambda c: c[: len(c) // 2],
        "two": lambda c: c + c,
        "a comment": lambda c: b"// Ann 34\n" + c,
        "line ends": lambda c: c.replace(b"\n", b"\r\n"),
        "spaces": lambda c: c + b" " * 1000,
        "other escapes": lambda c: c.replace(b"format", b"\\u0066ormat", 1),
        "a lone surrogate": lambda c: c.replace(b'"format"', b'"\\ud800"', 1),
        "17 MB": lambda c: c + b" " * 17_000_000,
    }
    where = [("mondrian", "certificate.json"), ("mondrian", "recoding.json"), ("model", "model.json")]
    where += [("ranks", "weights.json"), ("signed", "certificate.sig")]
    for base, name in where:
        for words, change in oddities.items():
            if name == "certificate.sig" and words in _NOT_IN_SIGNATURES:
                continue  # it has no numbers and no such key
            heavy = words in ("lists", "17 MB", "deep", "deep objects")
            yield Case(f"{base}, {name}: {words}", base, raw(name, change), heavy=heavy)


def _names():
    """What the certificate calls its files, and what else lies in the folder."""
    strange = [
        "../data.csv",
        "/etc/passwd",
        "./data.csv",
        "DATA.CSV",
        "data.csv\n",
        "data.csv\x00",
        "con",
        "",
        "a/b",
        "..",
    ]
    for number, name in enumerate([*strange, "x" * 5000, "certificate.json", "certificate.sig", "model.json"]):

        def renamed(stated, name=name):
            stated["files"][name] = stated["files"].pop("data.csv")

        def added(stated, name=name):
            stated["files"][name] = stated["files"]["data.csv"]

        yield Case(f"names: renamed {number}", "mondrian", forged(renamed, hashes=False))
        yield Case(f"names: added {number}", "mondrian", forged(added, hashes=False))
    for number, name in enumerate(
        ["data.csv.bak", "Data.csv", ".hidden", "raw\x1b[31m.csv", "data.parquet", "model.json"]
    ):
        yield Case(f"names: further {number}", "mondrian", lambda folder, n=name: (folder / n).write_text("Ann,34\n"))
    yield Case("names: a folder more", "mondrian", lambda folder: (folder / "owner").mkdir())
    yield Case("names: 500 more", "mondrian", _many)
    for words in ("\x1b[2J", "a" * 100_000, "\u202eevil", "a\nb"):
        yield Case(
            f"names: column {words[:8]!r}", "mondrian", forged(lambda s, w=words: s["columns"][0].update(name=w))
        )


def _many(folder):
    for number in range(500):
        (folder / f"further-{number}").touch()


def _kinds_of_files():
    def instead(name, make):
        def apply(folder):
            path = folder / name
            path.rename(folder.parent / "aside") if path.exists() else None
            make(path)

        return apply

    kinds = {
        "a pipe": os.mkfifo,
        "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "a link to a terminal": lambda path: path.symlink_to("/dev/tty"),
        "a link to the file": lambda path: path.symlink_to(path.parent.parent / "aside"),
        "a link to nothing": lambda path: path.symlink_to("nowhere"),
        "a link to itself": lambda path: path.symlink_to(path),
        "a folder": lambda path: path.mkdir(),
        "a socket": _socket,
        "a hole of a terabyte": lambda path: _hole(path, 2**40),
        "an empty file": lambda path: path.touch(),
        "gone": lambda path: None,
    }
    where = [("mondrian", "certificate.json"), ("mondrian", "data.csv"), ("mondrian", "recoding.json")]
    where += [("mondrian-parquet", "data.parquet"), ("model", "model.json"), ("signed", "certificate.sig")]
    for base, name in where:
        for words, make in kinds.items():
            if (name, words) == ("certificate.sig", "gone"):
                continue  # then it is not signed, and says so
            yield Case(f"{base}, {name}: {words}", base, instead(name, make), heavy=True)
    yield Case("signed: gone", "signed", instead("certificate.sig", lambda path: None), "told", "not signed")
    for name in ("persons.parquet",):
        for words in ("a pipe", "a link to /dev/zero", "a hole of a terabyte", "a folder"):
            yield Case(
                f"persons, owner's {name}: {words}",
                "persons",
                lambda folder, m=kinds[words], n=name: instead(n, m)(folder.parent / "owner"),
                heavy=True,
                options=("owner",),
            )
    yield Case("delta-sketch, owner's key: a pipe", "delta-sketch", _pipe_for_key, heavy=True, options=("owner",))


def _pipe_for_key(folder):
    (folder.parent / "owner" / "key.json").unlink()
    os.mkfifo(folder.parent / "owner" / "key.json")


def _socket(path):
    where = os.getcwd()
    os.chdir(path.parent)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(where)


def _hole(path, size):
    with path.open("wb") as file:
        file.truncate(size)


def _parquet():
    """Few bytes that stand for many cells, and other layouts than discreet's."""

    def bomb(make, *, rows=None, **options):
        def apply(folder):
            stated = certificate_of(folder)
            make(folder / "data.parquet", [column["name"] for column in stated["columns"]], options)
            if rows is not None:
                stated["rows"] = stated["verdict"]["rows"] = rows
            reseal(folder, stated)

        return apply

    base = "mondrian-parquet"
    yield Case("parquet: 20 million rows", base, bomb(_constant), heavy=True)
    yield Case("parquet: 20 million rows, as stated", base, bomb(_constant, rows=20_000_000), heavy=True)
    yield Case("parquet: 700,000 rows, as stated", base, bomb(_short, rows=700_000), heavy=True)
    yield Case("parquet: one long text", base, bomb(_long, rows=200_000), heavy=True)
    yield Case("parquet: zstd", base, bomb(_compressed, compression="zstd"), heavy=True)
    yield Case("parquet: snappy", base, bomb(_compressed, compression="snappy"))
    yield Case("parquet: gzip", base, bomb(_compressed, compression="gzip"))
    yield Case("parquet: 20,000 columns", base, bomb(_wide), heavy=True)
    yield Case("parquet: nested", base, bomb(_nested))
    yield Case("parquet: a long footer", base, bomb(_footer), heavy=True)
    yield Case("parquet: raw rows in the metadata", base, _again(_with_metadata))
    yield Case(
        "parquet: with a schema", base, _again(lambda table, path: pq.write_table(table, path, compression="none"))
    )
    yield Case("parquet: pages of version 2", base, _again(_version_2))
    yield Case("parquet: delta encoding", base, _again(_delta))
    yield Case("parquet: an unused entry", base, _again(_unused))
    yield Case("parquet: a gap", base, _again(_gap))
    yield Case("parquet: other groups of rows", base, _again(lambda t, p: _plainly(t, p, row_group_size=10)))
    yield Case("parquet: no dictionaries", base, _again(lambda t, p: _plainly(t, p, use_dictionary=False)))
    yield Case("parquet: no statistics", base, _again(lambda t, p: _plainly(t, p, write_statistics=False)))
    yield Case("parquet: with an index", base, _again(lambda t, p: _plainly(t, p, write_page_index=True)))
    for number in range(30):
        yield Case(f"parquet: bits {number}", base, _flipped(number), "refused")
    yield Case("sketches: 6 million in a row", "delta-sketch", _again(_one_list), heavy=True)
    yield Case("baskets: 6 million in a row", "baskets", _again(_one_basket), heavy=True)
    yield Case("csv: a million columns", "mondrian", _csv(b",".join([b'"x"'] * 1_000_000) + b"\n"), heavy=True)
    yield Case("csv: a row of 40 MB", "mondrian", _csv(None, b"x" * 40_000_000), heavy=True)
    yield Case("csv: two million rows", "mondrian", _csv(None, b"*,*,*,*,*,1,*\n" * 2_000_000), heavy=True)
    yield Case("csv: quotes", "mondrian", _csv(None, b'"'))
    yield Case("csv: not UTF-8", "mondrian", _csv(None, b"\xff\xfe,,,,,,\n"))
    yield Case("csv: zero bytes", "mondrian", _csv(None, b"\x00" * 1000))
    yield Case("csv: empty lines", "mondrian", _csv(None, b"\n" * 1000))
    yield Case("csv: BOM", "mondrian", _bytes(lambda c: b"\xef\xbb\xbf" + c))
    yield Case("csv: line ends", "mondrian", _bytes(lambda c: c.replace(b"\n", b"\r\n")))
    yield Case("csv: all quoted", "mondrian", _bytes(lambda c: c.replace(b"yes", b'"yes"')))
    yield Case("csv: no last line end", "mondrian", _bytes(lambda c: c[:-1]))


_BOMB: list[bytes] = []  # made once


def _constant(path, names, options):
    """20 million rows in less than a megabyte."""
    if not _BOMB:
        part = pa.table({name: pa.repeat(pa.scalar("*"), 1_000_000) for name in names})
        with pq.ParquetWriter(path, part.schema, compression="none", store_schema=False) as writer:
            for _ in range(20):
                writer.write_table(part)
        _BOMB.append(path.read_bytes())
    path.write_bytes(_BOMB[0])


def _csv(head, more=b""):
    return _bytes(lambda content: content + more if head is None else head + content)


def _bytes(change):
    def apply(folder):
        path = folder / "data.csv"
        path.write_bytes(change(path.read_bytes()))
        reseal(folder, certificate_of(folder))

    return apply


def _again(write):
    def apply(folder):
        path = folder / "data.parquet"
        write(pq.read_table(path), path)
        reseal(folder, certificate_of(folder))

    return apply


def _plainly(table, path, **options):
    pq.write_table(table, path, **{"compression": "none", "store_schema": False} | options)


def _short(path, names, options):
    _plainly(pa.table({name: pa.repeat(pa.scalar(1 if name == "stay" else "*"), 700_000) for name in names}), path)


def _long(path, names, options):
    """A text of a megabyte, which a dictionary says once and 200,000 rows mean."""
    codes = pa.array([0] * 200_000, pa.int32())
    long = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 1_000_000]))
    short = pa.DictionaryArray.from_arrays(codes, pa.array(["*"]))
    _plainly(pa.table({name: {"age": long, "stay": codes}.get(name, short) for name in names}), path)


def _compressed(path, names, options):
    pq.write_table(pa.table({name: ["*" * 3000] * 160 for name in names}), path, store_schema=False, **options)


def _wide(path, names, options):
    _plainly(pa.table({f"x{n}": ["*"] for n in range(20_000)}), path)


def _nested(path, names, options):
    deep = pa.scalar(["*"])
    for _ in range(30):
        deep = pa.scalar([deep.as_py()])
    _plainly(pa.table({name: pa.array([deep.as_py()] * 160) for name in names}), path)


def _footer(path, names, options):
    table = pa.table({name: ["*"] * 160 for name in names})
    with pq.ParquetWriter(path, table.schema, compression="none", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"rows": "x" * 30_000_000})


def _with_metadata(table, path):
    with pq.ParquetWriter(path, table.schema, compression="none", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"rows": json.dumps(RAW)})


def _version_2(table, path):
    _plainly(table, path, data_page_version="2.0")


def _delta(table, path):
    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    _plainly(table, path, use_dictionary=False, column_encoding=dict.fromkeys(texts, "DELTA_BYTE_ARRAY"))


def _unused(table, path):
    """The same cells; the dictionary of a column has one entry more."""
    coded = table.column("town").combine_chunks().dictionary_encode()
    more = pa.DictionaryArray.from_arrays(coded.indices, pa.concat_arrays([coded.dictionary, pa.array(["Rare-7731"])]))
    _plainly(table.set_column(table.column_names.index("town"), "town", more), path)


def _gap(table, path):
    """Raw rows between the cells and the footer."""
    _plainly(table, path)
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:start] + json.dumps(RAW).encode() + content[start:])


def _flipped(number):
    def apply(folder):
        path, dice = folder / "data.parquet", random.Random(f"{SEED} bits {number}")
        content = bytearray(path.read_bytes())
        for _ in range(dice.choice([1, 3, 40])):
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        path.write_bytes(content)
        reseal(folder, certificate_of(folder))

    return apply


def _one_list(table, path):
    rows = table.column("sketch").to_pylist()
    lists = pa.array([[1] * 6_000_000, *rows[1:]], pa.list_(pa.int32()))
    _plainly(table.set_column(1, "sketch", lists), path)


def _one_basket(table, path):
    rows = table.column("items").to_pylist()
    item = next(item for row in rows for item in row)
    _plainly(table.set_column(1, "items", pa.array([[item] * 6_000_000, *rows[1:]])), path)


def _signatures():
    keys = {"key": "keys", "other": "other-keys"}

    def other_release(folder):
        """A release by the same key in the place of the one that was asked for."""
        stated = certificate_of(folder)
        shutil.copy(folder / "certificate.json", folder.parent / "before.json")
        stated["discreet"] = "0.1.0x"
        reseal(folder, stated)

    yield Case("signed: by another key", "signed", lambda folder: None, options=("key", keys["other"]))
    yield Case(
        "signed: asked for",
        "signed",
        lambda folder: None,
        "told",
        "the required Ed25519 key",
        options=("key", keys["key"]),
    )
    yield Case("signed: another id", "signed", lambda folder: None, options=("id", "0" * 32))
    yield Case("signed: no id", "signed", lambda folder: None, options=("id", "latest"))
    yield Case("signed: resealed", "signed", other_release)
    yield Case("mondrian: not signed", "mondrian", lambda folder: None, options=("key", keys["key"]))
    for name in ("algorithm", "public_key", "signature"):
        for value in ("", "00", "zz" * 32, None, 7, RAW):

            def spoilt(folder, name=name, value=value):
                path = folder / "certificate.sig"
                said = json.loads(path.read_text()) | {name: value}
                path.write_bytes(canonical(said, 2))

            yield Case(f"signed: {name} {str(value)[:6]}", "signed", spoilt)
    yield Case("signed: of another statement", "signed", _other_statement)


def _other_statement(folder):
    stated = certificate_of(folder)
    stated["columns"][0]["role"] = "other"
    reseal(folder, stated)
