# SPDX-License-Identifier: Apache-2.0
"""A random case from a number: an input, a method with its parameters, and what its owner knows for the checker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from benchmarks.random_releases.cells import key, written
from benchmarks.random_releases.frames import as_frame
from benchmarks.random_releases.source import Asked, Source
from benchmarks.random_releases.tables import NASTY, PLAIN, RandomTable, marked, random_table
from discreet.methods import METHODS


@dataclass
class Case:
    """What to release and how. `roles` are those of a table; baskets have labels, names and persons instead.

    `trees` are the paths of hierarchies by column.
    """

    method: str
    parameters: dict[str, Any]
    data: Any
    source: Source
    format: str
    roles: dict[str, Any] | None = None
    labels: list[Any] | None = None
    names: list[str] | None = None
    persons: list[Any] | None = None
    trees: dict[str, list[tuple[str, ...]]] | None = None


# How often each method is drawn, of tables and of baskets; those that take long are drawn less.
TABLE_METHODS = {
    "mondrian": 10,
    "tree-ladder": 7,
    "tds": 7,
    "tdr": 5,
    "kactus": 4,
    "kactus2": 8,
    "kadet": 6,
    "greedy": 6,
    "maximal": 3,
    "optimal": 0.5,
    "km": 2,
    "random-flip": 4,
    "breach-aware": 1,
    "private-table": 5,
    "laplace-select": 2,
    "exponential-select": 2,
    "private-fwell": 2,
}
BASKET_METHODS = {
    "greedy": 6,
    "maximal": 3,
    "optimal": 0.3,
    "item-groups": 2,
    "km": 2,
    "random-flip": 4,
    "delta-sketch": 2,
    "variance-sketch": 3,
    "laplace-select": 1,
    "exponential-select": 1,
    "private-fwell": 1,
}
PRIVATE = ("private-table", "laplace-select", "exponential-select", "private-fwell")
SKETCHES = ("delta-sketch", "variance-sketch")


def random_case(seed: int) -> Case:
    """The case of a number; the same number gives the same case."""
    rng = Random(seed)
    k = rng.choice((2, 2, 3, 3, 4, 5, 7, 10))
    weights = {("table", name): weight for name, weight in TABLE_METHODS.items()}
    weights |= {("baskets", name): weight for name, weight in BASKET_METHODS.items()}
    shape, method = rng.choices(list(weights), list(weights.values()))[0]
    return _of_table(rng, method, k) if shape == "table" else _of_baskets(rng, method, k)


# -- tables ------------------------------------------------------------------------------------------------------------


def _of_table(rng: Random, method: str, k: int) -> Case:
    table = random_table(rng, k, numbers_only=method == "private-fwell")
    if method == "breach-aware" and not set(table.sensitive) - {table.target}:
        table.sensitive.append("illness")
        table.cells["illness"] = [rng.choice(PLAIN[:3]) for _ in range(len(table))]
        table.kinds["illness"] = "category"
    if method in PRIVATE[1:] and rng.random() < 0.8:
        table.person = None  # they take one row of each person
    parameters, promises, trees = _PARAMETERS[method](rng, k, table)
    domain = parameters.get("domain")
    if method in PRIVATE:
        persons = table.cells[table.person] if table.person and method == "private-table" else None
    else:
        persons = table.cells[table.person] if table.person else None
        parameters["random_state"] = _seed(rng, table.hidden)
    items = tuple(table.quasi) if method == "private-fwell" else ()
    source = Source(
        method=method,
        promises=promises,
        columns=table.texts,
        kinds=table.kinds,
        target=table.target,
        quasi=tuple(table.quasi),
        sensitive=tuple(table.sensitive),
        other=tuple(table.other),
        items=items,
        persons=persons,
        hidden=table.hidden,
        link=table.link,
        domain=None if domain is None else _allowed(domain, method),
        parameters=parameters,
        gives=_GIVES.get(method, "table"),
        raw=method == "breach-aware",
    )
    roles = {
        "target": table.target,
        "quasi": table.quasi,
        "sensitive": table.sensitive,
        "other": table.other,
        "identifiers": table.identifiers,
        "person": table.person,
        "allow_unique": [name for name in table.other if name == table.link],
    }
    data = as_frame(rng, table)
    return Case(method, parameters, data, source, rng.choice(("csv", "parquet")), roles=roles, trees=trees)


_GIVES = {
    "kadet": "model",
    "private-table": "synthetic",
    "laplace-select": "names",
    "exponential-select": "names",
    "private-fwell": "weights",
    "delta-sketch": "sketches",
    "variance-sketch": "sketches",
}


def _seed(rng: Random, hidden: dict[str, str]) -> int | None:
    """No seed in a third of the cases: then orders are drawn by the system."""
    if rng.random() < 1 / 3:
        return None
    seed = 10**14 + rng.randrange(10**14)
    hidden[str(seed)] = "the seed"
    return seed


def _trees(rng: Random, table: RandomTable) -> dict[str, list[tuple[str, ...]]] | None:
    """Value trees for some categories, of one or two levels between the values and the root."""
    trees = {}
    for name in table.quasi:
        if table.kinds[name] != "category" or rng.random() < 0.5:
            continue
        values = sorted({text for text in map(written, table.cells[name]) if text is not None})
        values += ["nowhere"] if rng.random() < 0.3 and "nowhere" not in values else []
        values += ["?"] if rng.random() < 0.2 else []
        if not values or rng.random() < 0.05:
            continue
        wide, narrow = rng.choice((1, 2, 3)), rng.choice((1, 2))
        two = rng.random() < 0.5
        trees[name] = [
            (value, *((f"part {p % wide}.{p % narrow}",) if two else ()), f"group {p % wide}", "*")
            for p, value in enumerate(values)
        ]
    return trees or None


def _cuts(rng: Random, table: RandomTable) -> dict[str, list[float]] | None:
    """Cuts for some of the numbers."""
    cuts = {}
    for name in table.quasi:
        numbers = sorted(
            {float(cell) for cell in map(written, table.cells[name]) if cell and table.kinds[name] == "number"}
        )
        if len(numbers) > 3 and rng.random() < 0.5:
            cuts[name] = sorted({float(round(rng.choice(numbers))) for _ in range(rng.randint(1, 3))})
    return cuts or None


def _grids(rng: Random, table: RandomTable) -> dict[str, list[Any]] | None:
    """Public borders, or public values, for some of the columns."""
    domain = _domain(rng, table, [name for name in table.quasi if rng.random() < 0.5])
    listed = {name: given if isinstance(given, list) else next(iter(given.values())) for name, given in domain.items()}
    return listed or None


def _domain(rng: Random, table: RandomTable, names: list[str]) -> dict[str, Any]:
    """Public values: some that occur, some that do not; cuts for numbers and dates."""
    domain: dict[str, Any] = {}
    for name in names:
        texts = sorted({text for text in map(written, table.cells[name]) if text is not None})
        kind = table.kinds[name]
        if kind != "category" and texts and name != table.target:
            days = {text[:10] if kind == "date" else float(round(float(text))) for text in texts}
            domain[name] = {"cuts": sorted(rng.sample(sorted(days), min(len(days), rng.randint(1, 3))))}
            continue
        values: list[Any] = [text for text in texts if rng.random() < 0.7] + rng.sample(PLAIN, 2)
        if rng.random() < 0.2:
            values.append(rng.choice(NASTY))
        read = {key(value.strip()): value.strip() for value in values if value.strip() not in ("*", "-", "--", "inf")}
        domain[name] = list(read.values())
        if rng.random() < 0.2:
            domain[name] = {"values": domain[name], "missing": rng.random() < 0.5}
    return domain


def _allowed(domain: dict[str, Any], method: str) -> dict[str, Any]:
    """The texts that may be published of each column of a domain; of selectors the names of items."""
    texts: dict[str, list[str | None]] = {}
    for name, given in domain.items():
        if isinstance(given, dict) and "cuts" in given:
            ends = [end if isinstance(end, str) else written(end) for end in given["cuts"]]
            inner = [f"[{low}, {high})" for low, high in pairwise(ends)]
            texts[name] = [f"< {ends[0]}", *inner, f">= {ends[-1]}", None]
        else:
            listed = given["values"] if isinstance(given, dict) else given
            numbers = [key(value) for value in listed]
            read = [written(x) if isinstance(x, float) else value for x, value in zip(numbers, listed, strict=True)]
            texts[name] = [*read, None]
    if method == "private-table":
        return texts
    items = [f"{name}={'missing' if text is None else text}" for name, found in texts.items() for text in found]
    return {"items": [*items, *texts, *(f"{item} (2)" for item in items)]}


# -- parameters --------------------------------------------------------------------------------------------------------

Parameters = tuple[dict[str, Any], tuple[Asked, ...], dict[str, list[tuple[str, ...]]] | None]


def _given(**parameters: Any) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _diverse(rng: Random, k: int, table: RandomTable) -> tuple[int | None, tuple[Asked, ...]]:
    level = 2 if table.sensitive and rng.random() < 0.3 else None
    promises = (Asked("k-anonymity", k), *([Asked("l-diversity", level)] if level else []))
    return level, promises


def _mondrian(rng: Random, k: int, table: RandomTable) -> Parameters:
    level, promises = _diverse(rng, k, table)
    parameters = _given(
        k=k,
        split=rng.choice(("median", "information")),
        relaxed=rng.random() < 0.3,
        labels=rng.choice(sorted(METHODS["mondrian"]._parameter_constraints["labels"][0].options)),
        l=level,
        max_suppressed=0.5 if rng.random() < 0.1 else None,
    )
    if parameters["labels"] == "cuts" and rng.random() < 0.5:
        parameters |= _given(grids=_grids(rng, table))
    by_tree = parameters["labels"] == "hierarchy" and rng.random() < 0.5
    return parameters, promises, _trees(rng, table) if by_tree else None


def _ladder(rng: Random, k: int, table: RandomTable) -> Parameters:
    parameters = _given(
        k=k,
        trust=rng.choice((None, None, 2, 20)),
        bins=rng.choice((2, 3, 5, 16)),
        detail=float(rng.choice([0.0, 0.1, 2.0])),
        max_suppressed=0.5 if rng.random() < 0.1 else None,
    )
    return parameters, (Asked("k-anonymity", k),), None


def _top_down(rng: Random, k: int, table: RandomTable) -> Parameters:
    trees = _trees(rng, table) if rng.random() < 0.5 else None
    if len(table.quasi) > 1 and rng.random() < 0.25:
        place = rng.randint(1, len(table.quasi) - 1)
        first, second = table.quasi[:place], table.quasi[place - rng.randint(0, 1) :]
        sets = [(first, k), (second, max(2, k - 1))]
        promises = tuple(Asked("k-anonymity", level, columns=tuple(columns)) for columns, level in sets)
        return {"quasi_sets": sets}, promises, trees
    return {"k": k}, (Asked("k-anonymity", k),), trees


def _kactus(rng: Random, k: int, table: RandomTable) -> Parameters:
    parameters = _given(
        k=k,
        inducer=rng.choice(("c45", "c45", "sklearn")),
        min_objects=rng.choice((1, 2, 5)),
        confidence=rng.choice((0.05, 0.25, 0.5)),
        cuts=_cuts(rng, table) if rng.random() < 0.2 else None,
        max_suppressed=0.9 if rng.random() < 0.1 else None,
    )
    return parameters, (Asked("k-anonymity", k),), None


def _kactus2(rng: Random, k: int, table: RandomTable) -> Parameters:
    parameters = _kactus(rng, k, table)[0]
    level, promises = _diverse(rng, k, table)
    parameters |= _given(swap=rng.choice((0.0, 0.3, 0.6, 1.0)), pool=rng.random() < 0.5, l=level)
    return parameters, promises, None


def _kadet(rng: Random, k: int, table: RandomTable) -> Parameters:
    public = rng.random() < 0.4
    promises = (Asked("k-anonymous model", k, public_class=public),)
    trees = _trees(rng, table) if rng.random() < 0.5 else None
    return {"k": k, "public_class": public, "prune": rng.random() < 0.5}, promises, trees


def _greedy(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    constraint = rng.choice(("containment", "containment", "k-anonymity"))
    absences = rng.choice((0, 0, 1, 2)) if constraint == "containment" else 0
    parameters = _given(
        k=k,
        utility=rng.choice(("hamdist", "distcnt", "cm")),
        constraint=constraint,
        absences=absences,
        on_infeasible=rng.choice(("skip", "stop")),
        max_features=rng.choice((None, None, 1, 3)),
        cuts=_cuts(rng, table) if table is not None and rng.random() < 0.2 else None,
    )
    return parameters, (Asked(constraint, k, absences=absences),), None


def _maximal(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    parameters = _given(
        k=k,
        candidates=rng.choice((1, 5, 20)),
        utility=rng.choice(("hamdist", "distcnt")),
        family=rng.choice(("containment", "frequent")),
        time_limit=20.0,
        cuts=_cuts(rng, table) if table is not None and rng.random() < 0.2 else None,
    )
    return parameters, (Asked("containment", k),), None


def _optimal(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    utility = rng.choice(("auc", "hamdist", "hamdist", "distcnt"))
    parameters = _given(k=k, utility=utility, time_limit=2.0, max_features=rng.choice((None, 2)))
    return parameters, (Asked("containment", k),), None


def _item_groups(rng: Random, k: int, table: None) -> Parameters:
    coverage, form = rng.choice((0.05, 0.2, 0.5, 0.9)), rng.choice(("auto", "groups", "scores"))
    return _given(k=k, coverage=coverage, form=form), (Asked("containment", k),), None


def _km(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    m = rng.choice((1, 2, 3))
    parameters = _given(k=k, m=m, utility=rng.choice((None, "hamdist")))
    return parameters, (Asked("(k, m)-anonymity", k, known=m),), None


def _flip(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    cuts = _cuts(rng, table) if table is not None and rng.random() < 0.2 else None
    return _given(k=k, vector=rng.choice(("majority", "member")), cuts=cuts), (Asked("k-anonymity", k),), None


def _breach(rng: Random, k: int, table: RandomTable) -> Parameters:
    alpha = rng.choice((0.0, 0.1, 0.5, "majority"))
    attackers = rng.choice((("naive-bayes",), ("c45",), ("naive-bayes", "c45")))
    parameters = {
        "alpha": alpha,
        "learner": "naive-bayes",
        "attackers": attackers,
        "folds": rng.choice((2, 3)),
        "search": rng.choice(("ranked", "floating")),
        "score": rng.choice(("rank", "value")),
    }
    return parameters, (Asked("breach increase", alpha),), None


def _epsilon(rng: Random) -> float:
    return rng.choice((0.1, 0.5, 1.0, 3.0))


def _private_table(rng: Random, k: int, table: RandomTable) -> Parameters:
    published = dict.fromkeys((table.target, *table.quasi, *table.sensitive, *table.other))
    epsilon, model = _epsilon(rng), rng.choice(("auto", "auto", "marginals"))
    parameters = {
        "epsilon": epsilon,
        "domain": _domain(rng, table, list(published)),
        "delta": rng.choice((0.0, 0.0, 1e-6)) if model == "marginals" else 0.0,
        "model": model,
        "neighbours": rng.choice(("replace-one", "add-remove")),
        "rows_per_person": rng.choice((1, 1, 2)),
    }
    return parameters, (Asked("differential privacy", epsilon),), None


def _private_names(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    epsilon = _epsilon(rng)
    parameters: dict[str, Any] = {"epsilon": epsilon, "n_features": rng.randint(1, 3)}
    if table is not None:
        parameters["domain"] = _domain(rng, table, table.quasi)
    return parameters, (Asked("differential privacy", epsilon),), None


def _private_weights(rng: Random, k: int, table: RandomTable | None) -> Parameters:
    epsilon, way = _epsilon(rng), rng.choice(("auto", "ranks", "splits", "blocks"))
    bounds = (0, 1) if table is None else (-10, 100)
    parameters = _given(
        epsilon=epsilon,
        strategy=way,
        bounds=bounds if way != "ranks" else None,
        n_features=rng.choice((None, 1, 2)),
        blocks=rng.choice((None, 3)) if way == "blocks" else None,
    )
    return parameters, (Asked("differential privacy", epsilon),), None


def _sketch(rng: Random, k: int, table: None, *, variance: bool) -> Parameters:
    delta = rng.choice((0.1, 0.3, 0.5, 2.0))
    parameters = _given(
        max_components=rng.choice((16, 64, 256)),
        information=rng.choice((0.5, 0.9, None)),
        count_classes=rng.choice(("quarters", "quarters", (1, 2, 5, 20))),
        allow_determined=rng.random() < 0.5,
    )
    if not variance:
        return parameters | {"delta": delta}, (Asked("delta-anonymity", delta),), None
    search = "exact" if rng.random() < 0.98 else "approximate"  # an index costs half a minute to compile
    promises = [Asked("k-variance", k, neighbour_search=search)]
    parameters |= {"k": k, "neighbour_search": search, "raise_counts": rng.random() < 0.5}
    if rng.random() < 0.4:
        parameters["delta"] = delta
        promises.append(Asked("delta-anonymity", delta))
    return parameters, tuple(promises), None


_PARAMETERS: dict[str, Callable[..., Parameters]] = {
    "mondrian": _mondrian,
    "tree-ladder": _ladder,
    "tds": _top_down,
    "tdr": _top_down,
    "kactus": _kactus,
    "kactus2": _kactus2,
    "kadet": _kadet,
    "greedy": _greedy,
    "maximal": _maximal,
    "optimal": _optimal,
    "item-groups": _item_groups,
    "km": _km,
    "random-flip": _flip,
    "breach-aware": _breach,
    "private-table": _private_table,
    "laplace-select": _private_names,
    "exponential-select": _private_names,
    "private-fwell": _private_weights,
    "delta-sketch": lambda rng, k, table: _sketch(rng, k, table, variance=False),
    "variance-sketch": lambda rng, k, table: _sketch(rng, k, table, variance=True),
}


# -- baskets -----------------------------------------------------------------------------------------------------------


def _of_baskets(rng: Random, method: str, k: int) -> Case:
    """Rows of 0 and 1 with common and rare items; of sketches also counts, of more items."""
    rows = rng.randint(max(k - 1, 2), 80)
    width = rng.randint(15, 40) if method in SKETCHES else rng.randint(1, 12)
    share = [rng.choice((0.03, 0.1, 0.3, 0.6, 0.95)) for _ in range(width)]
    highest = 3 if method in SKETCHES and rng.random() < 0.4 else 1
    matrix = [[rng.randint(1, highest) * (rng.random() < p) for p in share] for _ in range(rows)]
    names = [marked(rng, "item") for _ in range(width)]
    if rng.random() < 0.3:
        names[: width // 2] = rng.sample(NASTY, width // 2)
    unique = rng.random() < 0.1 and method in ("greedy", "random-flip")
    classes = rng.choice((["no", "yes"], [0, 1], ["a", "b", "c"]))
    noisy = [sum(map(bool, line[:2])) + (rng.random() < 0.3) for line in matrix]
    labels = [f"row {row}" for row in range(rows)] if unique else [classes[n % len(classes)] for n in noisy]
    persons = None
    if method not in (*PRIVATE, *SKETCHES) and rng.random() < 0.3:
        persons = [rng.randrange(max(1, int(rows * rng.choice((0.4, 0.8))))) for _ in range(rows)]
    hidden: dict[str, str] = {}
    parameters, promises, _ = _PARAMETERS[method](rng, k, None)
    if method not in PRIVATE:
        parameters["random_state"] = _seed(rng, hidden)
    if method in SKETCHES:
        hidden |= {name: "the name of an item" for name in names if "Zq" in name}
    source = Source(
        method=method,
        promises=promises,
        baskets=[frozenset(name for name, cell in zip(names, line, strict=True) if cell) for line in matrix],
        items=tuple(names),
        labels=[str(label) for label in labels],
        persons=persons,
        hidden=hidden,
        link="label" if unique else None,
        parameters=parameters,
        gives=_GIVES.get(method, "baskets"),
    )
    return Case(method, parameters, matrix, source, "parquet", labels=labels, names=names, persons=persons)
