# SPDX-License-Identifier: Apache-2.0
"""discreet evaluate: what releases by several methods cost a classifier, measured on the same folds."""

from __future__ import annotations

from enum import StrEnum
from inspect import signature
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import CELL_OPTIONS, BasketOptions, ReadingOptions, RoleOptions, read_dataset
from discreet.cli.method_options import build
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, split, values, watch
from discreet.cli.parquet_files import parquet_files
from discreet.errors import DataError, listing

if TYPE_CHECKING:
    from discreet.data.dataset import Dataset
    from discreet.evaluate.detail import Kept
    from discreet.evaluate.evaluation import Evaluation
    from discreet.methods import Method

_METHODS, _STUDY = "Methods", "How it is measured"


class ProtocolName(StrEnum):
    holdout = "holdout"
    recoded = "recoded"
    as_published = "as-published"


class MeasureName(StrEnum):
    accuracy = "accuracy"
    balanced_accuracy = "balanced_accuracy"
    auc = "auc"
    brier = "brier"


@with_groups
def evaluate(
    *,
    file: Annotated[
        Path,
        typer.Argument(
            help="A CSV or Parquet file, or a folder or pattern of Parquet files; with --baskets transactions, one row"
            " per line."
        ),
    ],
    method: Annotated[
        list[str],
        typer.Option(
            help="Such as mondrian, or mondrian:split=information,k=10; repeatable.", rich_help_panel=_METHODS
        ),
    ],
    k: Annotated[
        list[int] | None, typer.Option("--k", help="For methods with a k; repeatable.", rich_help_panel=_METHODS)
    ] = None,
    epsilon: Annotated[
        list[float] | None, typer.Option(help="For methods with an epsilon; repeatable.", rich_help_panel=_METHODS)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="name=value (JSON or text) for methods that have it.", rich_help_panel=_METHODS),
    ] = None,
    roles: RoleOptions,
    protocol: Annotated[
        ProtocolName, typer.Option(help="as-published flatters; docs/evaluate.md says why.", rich_help_panel=_STUDY)
    ] = ProtocolName.holdout,
    folds: Annotated[
        str, typer.Option(help="5-fold, 10-fold, 5x2, or repeated: 10x10-fold.", rich_help_panel=_STUDY)
    ] = "10-fold",
    classifiers: Annotated[
        list[str] | None, typer.Option(help="c45,logistic; all if not given.", rich_help_panel=_STUDY)
    ] = None,
    measure: Annotated[
        MeasureName, typer.Option(help="The measure shown with intervals.", rich_help_panel=_STUDY)
    ] = MeasureName.accuracy,
    seed: Annotated[int, typer.Option(help="Seed of folds, classifiers and methods.", rich_help_panel=_STUDY)] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Number of threads.", rich_help_panel=_STUDY)] = 1,
    cache: Annotated[
        Path | None,
        typer.Option(help="A private folder for scores, so that a stopped run can resume.", rich_help_panel=_STUDY),
    ] = None,
    baskets: BasketOptions,
    reading: ReadingOptions,
    sample: Annotated[
        int,
        typer.Option(
            min=100, help="Rows drawn from a folder, a pattern or a large Parquet file.", rich_help_panel=_STUDY
        ),
    ] = 50_000,
    detail: Annotated[
        bool, typer.Option(help="Measure what releases hold, too; runs each method once more.", rich_help_panel=_STUDY)
    ] = True,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure what methods cost a classifier: on held-out rows, with intervals, beside the original table.

    Nothing is published. The figures come from private rows and are for the owner only.
    """
    from discreet.evaluate.cross_evaluation import ALL, evaluate_utility
    from discreet.evaluate.detail import table_of_kept

    watch(quiet=quiet, as_json=as_json)
    methods = _methods(method, k, epsilon, settings)
    dataset, note = _dataset(file, roles, baskets, reading, sample, seed)
    evaluation = evaluate_utility(
        methods,
        dataset.checked(),
        protocol=protocol.value,
        folds=folds,
        classifiers=split(classifiers) or ALL,
        random_state=seed,
        n_jobs=jobs,
        cache=cache,
    )
    kept = _kept(evaluation, methods, dataset.checked(), seed) if detail else {}
    if as_json:
        kept_dict = {name: one.to_dict() for name, one in kept.items()}
        emit(evaluation.to_dict() | {"kept": kept_dict} | ({"sample": note} if note else {}))
    else:
        if note:
            say(note, "")
        say(*evaluation.table(measure.value).split("\n"))
        if kept:
            say("", *table_of_kept(kept).split("\n"))


def _dataset(
    file: Path, roles: RoleOptions, baskets: BasketOptions, reading: ReadingOptions, sample: int, seed: int
) -> tuple[Dataset, str]:
    """The data, and a sentence that says so where they are a sample of Parquet files that are not read whole."""
    from discreet.data.table import Table
    from discreet.evaluate.sampled_rows import sampled_rows

    files = parquet_files(file) if baskets.held_as is None else []
    if not files:
        return read_dataset(file, roles, baskets, reading), ""
    rows, total = sampled_rows(files, rows=sample, random_state=seed)
    note = f"Measured on a random sample of {len(rows):,} of {total:,} rows. A whole table gives finer groups."
    kinds = {name: value for name, value in reading.arguments.items() if name in CELL_OPTIONS}
    return roles.dataset(Table.of(rows, **kinds)), note


def _kept(evaluation: Evaluation, methods: list[Method], dataset: Dataset, seed: int) -> dict[str, Kept]:
    """What a release by each method holds; methods that made no release are left out."""
    from discreet.errors import CannotRelease
    from discreet.evaluate.cross_evaluation import label
    from discreet.evaluate.detail import measure_detail

    found = {}
    for method in methods:
        try:
            found[label(method)] = measure_detail(method, dataset, random_state=seed)
        except (CannotRelease, DataError):
            continue
    return found


def _methods(
    texts: list[str], ks: list[int] | None, epsilons: list[float] | None, settings: list[str] | None
) -> list[Method]:
    """Every method with every k or epsilon that it takes; parameters after a colon are for that method alone."""
    from discreet.methods import METHODS

    common, used, methods = values(settings), set(), []
    for text in texts:
        name, _, own = text.partition(":")
        mine = values(own.split(",")) if own else {}
        accepted = set(signature(METHODS[name]).parameters) if name in METHODS else set()
        shared = {parameter: value for parameter, value in common.items() if parameter in accepted}
        used |= set(shared)
        grid: dict[str, list[Any]] = {"k": ks or [], "epsilon": epsilons or []}
        grid = {parameter: points for parameter, points in grid.items() if points and parameter in accepted - set(mine)}
        for point in product(*grid.values()):
            methods.append(build(name, dict(zip(grid, point, strict=True)) | shared | mine))
    unused = sorted(set(common) - used)
    if unused:
        raise DataError(f"None of the methods has a parameter {listing(unused)}. Leave --set {unused[0]} out.")
    return methods
