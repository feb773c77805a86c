# SPDX-License-Identifier: Apache-2.0
"""discreet release: make a verified release of a table or of baskets, with the owner's report."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_formats, complete_methods
from discreet.cli.engine_options import EngineOptions, how_read, warn_of_password
from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions, read_dataset
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.method_options import MethodOptions, build, parameter, said_defaults
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, remark, split, step, watch
from discreet.cli.policy_options import PolicyOptions, enforced
from discreet.cli.release_answer import ReleaseAnswer
from discreet.cli.release_items import ItemOptions
from discreet.cli.release_job import ReleaseJob
from discreet.cli.release_made import Made, measured, summary_of, told
from discreet.cli.running import refuse_unused
from discreet.errors import DataError, RolesError, listing
from discreet.foundation.system import give_back_memory

if TYPE_CHECKING:
    from discreet.methods import Method
    from discreet.release.ledger import Account
    from discreet.report.summary import Outcome


def _written(help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="What is written", **more)


class Numbers(StrEnum):
    low_high = "low-high"
    midpoint = "midpoint"


@dataclass(frozen=True)
class OutputOptions:
    """What is written, and how."""

    formats: Annotated[
        list[str] | None,
        _written(
            "Format of the published table: csv if not given, or parquet, as of an engine's rows. Further ones are"
            " copies, checked against it: xlsx, sav (SPSS), dta (Stata), csv-de and so on for the Excel of a country.",
            "--as",
            "--format",
            autocompletion=complete_formats,
        ),
    ] = None
    numbers: Annotated[
        Numbers | None,
        _written("Columns of numbers beside labels of intervals, in the copies: age_low and age_high, or age_mid."),
    ] = None
    sign: Annotated[Path | None, _written("Sign with this private key.")] = None
    overwrite: Annotated[bool, _written("Replace an earlier release in that folder.", "--overwrite")] = False
    evaluate: Annotated[
        bool, _written("Measure accuracy on held-out rows; runs the method once more.", "--evaluate")
    ] = False
    no_report: Annotated[bool, _written("No owner/report.html.", "--no-report")] = False
    sink: Annotated[
        str | None, _written("Copy the published rows to a new table, too: postgresql://user@host/database/table.")
    ] = None

    def check(self) -> None:
        """Refuse formats that there are not, and a table that cannot be made, before any work is done."""
        from discreet.release.copies import asked_copies

        asked_copies(split(self.formats), None if self.numbers is None else self.numbers.value)
        if self.sink is not None:
            from discreet.release.table_copy import check_sink

            warn_of_password(self.sink)
            check_sink(self.sink)

    def copy_to_sink(self, out: Path) -> None:
        """Copy the rows of the saved release."""
        if self.sink is None:
            return
        from discreet.release.table_copy import copy_to_table

        with step("Copying the rows to the table, reading them back"):
            try:
                copy_to_table(out / "release", self.sink)
            except DataError as error:
                raise DataError(f"{error} The release in {out.name!r} is complete; no table was made.") from None


@dataclass(frozen=True)
class LedgerOptions:
    """Which budget pays for the release."""

    ledger: Annotated[Path | None, _written("Pay from this ledger before the release is made visible.")] = None
    data_set: Annotated[str | None, _written("The data set whose budget in the ledger pays.")] = None
    ledger_key: Annotated[
        Path | None, _written("The ledger's key, if it is not beside it.", envvar="DISCREET_LEDGER_KEY")
    ] = None

    def account(self) -> Account | None:
        from discreet.release.ledger import Ledger

        if (self.ledger is None) != (self.data_set is None):
            raise DataError("--ledger and --data-set go together: each data set in a ledger has its own budget.")
        if self.ledger is None or self.data_set is None:
            refuse_unused("ledger_key", because="it opens the ledger that --ledger names, and none is named")
            return None
        return Ledger(self.ledger, key=self.ledger_key).account(self.data_set)


@with_groups
def release(
    *,
    out: Annotated[Path, _written("Folder to write: release/ to publish, owner/ to keep.", "--out", "-o")],
    method: Annotated[
        str | None,
        parameter(
            "The method, such as mondrian or greedy: see `discreet methods`.",
            default="that of the recipe",
            autocompletion=complete_methods,
        ),
    ] = None,
    parameters: MethodOptions,
    roles: RoleOptions,
    output: OutputOptions,
    budget: LedgerOptions,
    baskets: BasketOptions,
    reading: ReadingOptions,
    rows: EngineOptions,
    items: ItemOptions,
    limits: PolicyOptions,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="The table: CSV, Excel, Parquet, SPSS and others; with --baskets transactions, one row per line."
        ),
    ] = None,
    recipe: RecipePath = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --engine: only say what the release would take.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make a release and check its promise on the written files; it appears complete or not at all.

    OUT/release holds the data and its certificate: publish it. OUT/owner holds the trace and the report: keep it.
    """
    watch(quiet=quiet, as_json=as_json)
    _check_target(out, overwrite=output.overwrite)
    given = GivenRecipe(recipe, quiet=quiet or as_json)
    options = given.options(file, Options(roles, reading, baskets), texts=True)
    roles, reading, baskets = options.roles, options.reading, options.baskets
    if items.is_given:
        items.check(roles, reading, baskets, evaluate=output.evaluate, sink=output.sink, dry_run=dry_run)
    output.check()
    name, wanted = given.method(method, parameters)
    chosen = build(name, wanted)
    _refuse_unused(chosen, roles)
    policy = limits.read()
    account = budget.account()
    if account is not None:
        account.afford(chosen.promise)  # before the file is read
    if dry_run and not rows.is_used:
        raise DataError("--dry-run says what a release through an engine would take. Name one with --engine.")
    defaults, note = said_defaults(name, wanted)
    answer = ReleaseAnswer(out, account, defaults, note, with_report=not output.no_report, quiet=quiet, as_json=as_json)
    if items.is_given:
        outcome, summary = items.release(chosen, rows.source_of(file), rows, roles, reading, baskets.labels)
        kept_limits = enforced(policy, outcome.release, output.sign)
        of_items = Made(outcome, summary, {}).with_limits(kept_limits)
        _save(outcome, of_items.files(with_report=not output.no_report), out, output, account)
        answer.tell(outcome.release, of_items.summary, kept_limits)
        return
    with ExitStack() as until_saved:
        if rows.is_used:
            asked = {
                "method": chosen.name,
                "recipe": _asked(given),
                **{type(one).__name__: asdict(one) for one in (parameters, roles, reading)},
            }
            if options.text is not None:
                raise DataError("--engine takes tables; texts are read into memory. Leave it out.")
            job = ReleaseJob(out, asked, rows.memory, dry_run, quiet, as_json, until_saved, str(rows.engine))
            made = _of_engine(chosen, rows, file, roles, baskets, reading, output, job)
        else:
            made = _of_file(chosen, Path(rows.source_of(file)), options, output)
        kept_limits = enforced(policy, made.outcome.release, output.sign)
        made = made.with_limits(kept_limits)
        _save(made.outcome, made.files(with_report=not output.no_report), out, output, account)
        output.copy_to_sink(out)
    answer.tell(made.outcome.release, made.summary, kept_limits)


def _asked(given: GivenRecipe) -> str | None:
    return None if given.recipe is None else given.recipe.model_dump_json()


def _of_file(
    method: Method,
    file: Path,
    options: Options,
    output: OutputOptions,
) -> Made:
    from discreet.data.read import source_name
    from discreet.engines.estimate import refuse_table

    if not options.baskets.is_given:
        refuse_table(file)
    dataset = read_dataset(
        file, options.roles, options.baskets, options.reading, by_cells=method.by_cells, text=options.text
    )
    if output.evaluate and not dataset.has_target:
        raise RolesError("--evaluate measures how well a target is predicted. Name it with --target, or leave it out.")
    with step(f"Releasing {len(dataset):,} rows with {method.name}"):
        result = method.release(dataset)
    give_back_memory(result.rows)
    candidates = _candidates(method)  # before others are fitted to measure accuracy

    def made() -> Made:
        outcome = measured(method, result, dataset, output.evaluate)
        return Made(outcome, summary_of(outcome, dataset, source_name(file)), candidates)

    return told(method, result, made, candidates)


def _of_engine(
    method: Method,
    rows: EngineOptions,
    file: Path | None,
    roles: RoleOptions,
    baskets: BasketOptions,
    reading: ReadingOptions,
    output: OutputOptions,
    job: ReleaseJob,
) -> Made:
    """The release of rows that stay in an engine."""
    from discreet.report.summary import Outcome, summarise_counts

    source = rows.source_of(file)
    method.check_engine()
    if baskets.is_given:
        raise DataError("--engine takes tables; baskets are read into memory. Leave out the one or the other.")
    if set(split(output.formats)) - {"parquet"} or output.numbers is not None:
        raise DataError("The release of an engine's rows is saved as Parquet, in parts. Leave out --as and --numbers.")
    if output.evaluate:
        raise DataError(
            "--evaluate holds rows out, which an engine does not hand out. Release first, then measure on a sample:"
            " discreet evaluate."
        )
    opened = job.until_saved.enter_context(rows.opened(source, reading, scratch_beside(job.out)))
    named = roles.roles(opened.names)
    engine = job.start(opened, method, named)
    with step(f"Releasing {len(engine):,} rows with {method.name}"):
        result = method.release(engine, named)
    if not (method.by_cells or job.quiet or job.as_json):
        remark(*how_read(opened, named.published))
    candidates = _candidates(method)
    outcome = Outcome(
        result, no_utility="Not measured: the rows stay in the engine; `discreet evaluate` takes a sample."
    )
    name = source.name if isinstance(source, Path) else "table"

    def made() -> Made:
        return Made(outcome, summarise_counts(outcome, engine, named, name=name), candidates)

    return told(method, result, made, candidates)


def _refuse_unused(method: Method, roles: RoleOptions) -> None:
    """Refuse options that have no effect on a release by this method."""
    if method.gives not in ("", "synthetic", "sketches"):
        refuse_unused("formats", "numbers", because=f"{method.name} publishes {method.gives}, in a file of JSON")
    if method.name != "breach-aware":
        coarse = sorted({*split(roles.allow_unique)} & {*split(roles.quasi)})
        if coarse:
            refuse_unused("allow_unique", because=f"{method.name} makes quasi-identifiers coarser: {listing(coarse)}")
    if method.gives in ("names", "weights", "sketches"):
        refuse_unused("evaluate", because=f"{method.name} publishes {method.gives}, no rows to learn from")


def scratch_beside(out: Path) -> Path:
    """The folder in which rows wait until the release is complete: that of the release, so that it is on one disk."""
    parent = Path(os.path.abspath(out)).parent
    parent.mkdir(parents=True, exist_ok=True)
    return parent


def _check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a non-empty folder before any work is done; what may be overwritten is decided when saving."""
    if out.exists() and not overwrite and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out.name!r} exists already. Choose another folder, or add --overwrite.")


def _candidates(method: Method) -> dict[str, bytes]:
    """The candidates that a method chose from, if it records them, for `discreet choose`."""
    choice = getattr(method, "choice_", None)
    if choice is None:
        return {}
    from discreet.choose import Results
    from discreet.choose.study_file import BASELINE

    return {"candidates.json": Results.of(choice.candidates, BASELINE).to_json()}


def _save(
    outcome: Outcome, owner_files: dict[str, bytes], out: Path, output: OutputOptions, account: Account | None
) -> None:
    """Write the release, with these files for the owner."""
    if outcome.utility is not None:
        from discreet.choose import owner_measures

        owner_files = owner_files | owner_measures(outcome.release, outcome.utility)
    if account is None:
        outcome.release.owner.people = None  # only a ledger asks about them; the source need not stay in memory
    give_back_memory(outcome.release.rows)
    with step("Writing, reading back, verifying"):
        outcome.release.save(
            out,
            format=split(output.formats),
            numbers=None if output.numbers is None else output.numbers.value,
            sign_with=output.sign,
            overwrite=output.overwrite,
            owner_files=owner_files,
            account=account,
        )
