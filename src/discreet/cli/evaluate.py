# SPDX-License-Identifier: Apache-2.0
"""discreet evaluate: what releases by several methods cost a classifier, measured on the same folds."""

from __future__ import annotations

from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_classifiers, complete_methods
from discreet.cli.engine_options import CountingOptions
from discreet.cli.file_options import CELL_OPTIONS, BasketOptions, ReadingOptions, RoleOptions, read_dataset
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.method_options import build, said_defaults
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, given_once, say, split, values, watch
from discreet.cli.parquet_files import parquet_files
from discreet.cli.running import in_a_row, names_of, refuse_unused
from discreet.errors import DataError, ParameterError, Setting

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
            help="A table: CSV, Excel, Parquet, SPSS and others; or a folder or pattern of Parquet files; with"
            " --baskets transactions, one row"
            " per line."
        ),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Such as mondrian, or mondrian:split=information,k=10; repeatable.",
            rich_help_panel=_METHODS,
            autocompletion=complete_methods,
        ),
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option("--k", help="For methods with a k; repeatable.", rich_help_panel=_METHODS, show_default="5"),
    ] = None,
    epsilon: Annotated[
        list[float] | None,
        typer.Option(help="For methods with an epsilon; repeatable.", rich_help_panel=_METHODS, show_default="1"),
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
        list[str] | None,
        typer.Option(
            help="c45,logistic; all if not given.", rich_help_panel=_STUDY, autocompletion=complete_classifiers
        ),
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
    rows: CountingOptions,
    detail: Annotated[
        bool, typer.Option(help="Measure what releases hold, too; runs each method once more.", rich_help_panel=_STUDY)
    ] = True,
    recipe: RecipePath = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure what methods cost a classifier: on held-out rows, with intervals, beside the original table.

    Nothing is published. The figures come from private rows and are for the owner only.
    """
    from discreet.evaluate.cross_evaluation import ALL, evaluate_utility
    from discreet.evaluate.detail import table_of_kept

    watch(quiet=quiet, as_json=as_json)
    given = GivenRecipe(recipe, quiet=quiet or as_json)
    options = given.options(file, Options(roles, reading, baskets), texts=True)
    methods = _methods(method, k, epsilon, settings, given)
    judged = given.evaluation(protocol=protocol.value, folds=folds, classifiers=classifiers, measure=measure.value)
    promised, sentences = _defaults(method or [], k, epsilon, settings)
    dataset, note = _dataset(file, options, sample, seed, rows)
    evaluation = evaluate_utility(
        methods,
        dataset.checked(),
        protocol=judged["protocol"],
        folds=judged["folds"],
        classifiers=split(judged["classifiers"]) or ALL,
        random_state=seed,
        n_jobs=jobs,
        cache=cache,
    )
    kept = _kept(evaluation, methods, dataset.checked(), seed) if detail else {}
    if as_json:
        kept_dict = {name: one.to_dict() for name, one in kept.items()}
        defaults = {name: taken for name, taken in promised.items() if taken}
        answer = evaluation.to_dict() | {"measure": judged["measure"], "kept": kept_dict, "defaults": defaults}
        emit(answer | ({"sample": note} if note else {}))
    else:
        if note:
            say(note, "")
        say(*evaluation.table(judged["measure"]).split("\n"))
        if kept:
            say("", *table_of_kept(kept).split("\n"))
        for sentence in () if quiet else dict.fromkeys(filter(None, sentences)):
            say(sentence, err=True)


def _dataset(
    file: Path,
    options: Options,
    sample: int,
    seed: int,
    rows_of: CountingOptions,
) -> tuple[Dataset, str]:
    """The data, and a sentence that says so where they are a sample of rows that are not read whole."""
    from discreet.data.table import Table
    from discreet.evaluate.sampled_rows import sampled_rows

    roles, baskets, reading = options.roles, options.baskets, options.reading
    if rows_of.is_used:
        if options.text is not None or baskets.held_as is not None:
            refuse_unused("engine", because="engines read the rows of tables, and these are items")
        table, drawn = rows_of.sample(file, reading, names=None, rows=sample, seed=seed)
        return roles.dataset(table), f"Measured on {drawn}. A whole table gives finer groups." if drawn else ""
    files = parquet_files(file) if baskets.held_as is None and options.text is None else []
    if not files:
        refuse_unused(
            "sample", because="the file is read whole; samples are drawn from folders and large Parquet files"
        )
        return read_dataset(file, roles, baskets, reading, text=options.text), ""
    dialect = [name for name in names_of(ReadingOptions) if name not in CELL_OPTIONS]
    refuse_unused(*dialect, because="Parquet files state how they are written")
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


def _defaults(
    texts: list[str], ks: list[int] | None, epsilons: list[float] | None, settings: list[str] | None
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What each method promises because it was not told how much, and sentences that say so."""
    common = {*values(settings), *(["k"] if ks else []), *(["epsilon"] if epsilons else [])}
    found, sentences = {}, []
    for text in texts:
        name, _, own = text.partition(":")
        found[text], sentence = said_defaults(name, common | set(values(own.split(",")) if own else {}))
        sentences.append(sentence)
    return found, sentences


def _methods(
    texts: list[str] | None,
    ks: list[int] | None,
    epsilons: list[float] | None,
    settings: list[str] | None,
    recipe: GivenRecipe,
) -> list[Method]:
    """Every method with every k or epsilon that it takes; parameters after a colon are for that method alone."""
    from discreet.methods import METHODS, methods_with, parameters_of

    if not texts:
        if recipe.recipe is None:
            raise DataError(
                "No method is named. Name some with --method, such as mondrian, or give a recipe with --recipe."
            )
        return recipe.methods(k=ks, epsilon=epsilons, **{one: [value] for one, value in values(settings).items()})
    common, used, methods = values(settings), set(), []
    points: dict[str, list[Any]] = {name: of for name, of in (("k", ks), ("epsilon", epsilons)) if of}
    given_once(points, settings)
    for text in texts:
        name, _, own = text.partition(":")
        mine = values(own.split(",")) if own else {}
        open_to = set(parameters_of(name)) - set(mine) if name in METHODS else set()
        shared = {parameter: value for parameter, value in common.items() if parameter in open_to}
        grid = {parameter: of for parameter, of in points.items() if parameter in open_to}
        used |= {*shared, *grid}
        for point in product(*grid.values()):
            methods.append(build(name, dict(zip(grid, point, strict=True)) | shared | mine))
    unused = sorted({*common, *points} - used)
    if unused:
        others = methods_with(unused[0])
        who = f" It is for {in_a_row(others, 'or')}." if others else ""
        raise ParameterError("None of the methods takes ", Setting(unused[0]), f".{who} Leave it out.")
    return methods
