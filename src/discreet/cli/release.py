# SPDX-License-Identifier: Apache-2.0
"""discreet release: one table or one set of baskets in, one verified release out, with the owner's report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import (
    BasketSource,
    Delimiter,
    Encoding,
    FromBaskets,
    Header,
    Identifiers,
    Json,
    Kinds,
    Labels,
    Missing,
    Names,
    Other,
    Person,
    Quasi,
    Quiet,
    Quote,
    Sensitive,
    Separator,
    Target,
    Unique,
    emit,
    read_table,
    say,
    shares,
    split,
    step,
    values,
    watch,
)
from discreet.errors import CannotRelease, DataError, RolesError, did_you_mean, listing, plain

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.roles import Roles
    from discreet.data.table import Table
    from discreet.methods import Method
    from discreet.release.ledger import Account
    from discreet.release.release import Release
    from discreet.report.summary import Outcome

_METHOD, _OUT = "Method and promise", "What is written"


class Format(StrEnum):
    csv = "csv"
    parquet = "parquet"


def _parameter(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=_METHOD)


def release(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file; with --baskets transactions, one row per line.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder to write: release/ to publish, owner/ to keep.", rich_help_panel=_OUT),
    ],
    method: Annotated[str, _parameter("How, such as mondrian or greedy; an unknown name lists all.")],
    k: Annotated[
        int | None, typer.Option("--k", help="How many persons must be alike.", rich_help_panel=_METHOD)
    ] = None,
    epsilon: Annotated[float | None, _parameter("Differential privacy: what the release may cost.")] = None,
    target: Target = None,
    quasi: Quasi = None,
    sensitive: Sensitive = None,
    identifiers: Identifiers = None,
    other: Other = None,
    person: Person = None,
    allow_unique: Unique = None,
    split_by: Annotated[
        str | None,
        typer.Option("--split", help="mondrian: median or information.", rich_help_panel=_METHOD),
    ] = None,
    utility: Annotated[
        str | None, _parameter("greedy: hamdist, distcnt or cm; maximal: hamdist or distcnt; optimal: auc and others.")
    ] = None,
    constraint: Annotated[str | None, _parameter("greedy: containment or k-anonymity.")] = None,
    absences: Annotated[
        int | None, _parameter("greedy: how many items that a person lacks an attacker may know.")
    ] = None,
    on_infeasible: Annotated[str | None, _parameter("greedy: skip or stop.")] = None,
    max_features: Annotated[int | None, _parameter("greedy, optimal: at most so many items.")] = None,
    max_suppressed: Annotated[
        str | None,
        _parameter("Tables: refuse if a larger share of quasi cells is suppressed; 0.2, or rows=0.05,cells=0.3."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any parameter of the method, name=value (JSON or text).", rich_help_panel=_METHOD),
    ] = None,
    seed: Annotated[int | None, _parameter("Repeatable order of rows. Kept in owner/; never published.")] = None,
    format: Annotated[Format, typer.Option(help="Of the published table.", rich_help_panel=_OUT)] = Format.csv,
    sign: Annotated[Path | None, typer.Option(help="Sign with this private key.", rich_help_panel=_OUT)] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier release in that folder.", rich_help_panel=_OUT)
    ] = False,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate", help="Measure accuracy on held-out rows; runs the method once more.", rich_help_panel=_OUT
        ),
    ] = False,
    no_report: Annotated[bool, typer.Option("--no-report", help="No owner/report.html.", rich_help_panel=_OUT)] = False,
    ledger: Annotated[
        Path | None, typer.Option(help="Pay from this ledger, before the release is seen.", rich_help_panel=_OUT)
    ] = None,
    data_set: Annotated[
        str | None, typer.Option(help="The data set's name in the ledger: its budget pays.", rich_help_panel=_OUT)
    ] = None,
    ledger_key: Annotated[
        Path | None,
        typer.Option(
            envvar="DISCREET_LEDGER_KEY", help="The ledger's key, if it is not beside it.", rich_help_panel=_OUT
        ),
    ] = None,
    baskets: FromBaskets = None,
    labels: Labels = None,
    separator: Separator = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    names: Names = None,
    header: Header = None,
    missing: Missing = None,
    kinds: Kinds = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make a release, check its promise on the written files, and write it whole or not at all.

    OUT/release holds the data and its certificate: publish it. OUT/owner holds the trace and the report: keep it.
    """
    watch(quiet=quiet, as_json=as_json)
    check_target(out, overwrite=overwrite)
    given = {
        "k": k,
        "epsilon": epsilon,
        "split": split_by,
        "utility": utility,
        "constraint": constraint,
        "absences": absences,
        "on_infeasible": on_infeasible,
        "max_features": max_features,
        "max_suppressed": None if max_suppressed is None else shares(max_suppressed, "--max-suppressed"),
        "random_state": seed,
    }
    made_by = build(method, {name: value for name, value in given.items() if value is not None}, settings)
    account = _account(ledger, data_set, ledger_key)
    if account is not None:
        account.afford(made_by.promise)  # before the file is read

    def table() -> Table:
        return read_table(
            file,
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            names=names,
            header=header,
            missing=missing,
            kinds=kinds,
            by_cells=made_by.by_cells,
        )

    named = {"quasi": quasi, "sensitive": sensitive, "identifiers": identifiers, "other": other}
    data, roles = read_data(
        file, table, target, person, named | {"allow_unique": allow_unique}, baskets, labels, separator
    )
    outcome, kept = _released(made_by, data, roles, evaluate)
    _save(outcome, kept, data, roles, file, out, format.value, sign, overwrite, not no_report, account, quiet, as_json)


def _account(ledger: Path | None, data_set: str | None, key: Path | None) -> Account | None:
    from discreet.release.ledger import Ledger

    if (ledger is None) != (data_set is None):
        raise DataError("--ledger and --data-set go together: a budget belongs to a name in a ledger.")
    return None if ledger is None or data_set is None else Ledger(ledger, key=key).account(data_set)


def check_target(out: Path, *, overwrite: bool) -> None:
    """Refuse a folder that is in use before any work is done; what may be overwritten is decided when saving."""
    if out.exists() and not overwrite and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out.name!r} exists already. Choose another folder, or add --overwrite.")


def build(name: str, parameters: dict[str, Any], settings: list[str] | None = None) -> Method:
    """The method of that name, with these parameters and those of `--set`."""
    from discreet.methods import METHODS

    if name not in METHODS:
        raise DataError(
            f"There is no method {name!r}.{did_you_mean(name, METHODS)} They are {listing(METHODS, most=99)}."
        )
    made_by = METHODS[name]
    parameters = parameters | values(settings)
    known = sorted(signature(made_by).parameters)
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown:
        hint = did_you_mean(unknown[0], known)
        raise DataError(
            f"The method {name!r} has no parameter {listing(unknown)}.{hint} It has {listing(known, most=20)}."
        )
    return made_by(**parameters)


def read_data(
    file: Path,
    table: Callable[[], Table],
    target: str | None,
    person: str | None,
    columns: Mapping[str, list[str] | None],
    baskets: BasketSource | None,
    labels: Path | None,
    separator: str | None,
) -> tuple[Table | Baskets, Roles | None]:
    """What the file holds, and the roles of its columns: `columns` by role; baskets have none."""
    if baskets is None:
        from discreet.data.roles import Roles

        data = table()
        by_role = {role: split(names, data.names) for role, names in columns.items()}
        return data, Roles(target=target, person=person, **by_role)
    unfit = {role: names for role, names in {**columns, "person": person}.items() if names}
    if unfit:
        named = listing(f"--{role.replace('_', '-')}" for role in unfit)
        raise RolesError(f"Baskets have a label and items; they take no {named}. Leave it out.")
    return _baskets(file, baskets, table, labels, separator, target), None


def _baskets(
    file: Path, source: BasketSource, table: Any, labels: Path | None, separator: str | None, target: str | None
) -> Baskets:
    from discreet.data.baskets import Baskets

    if source is BasketSource.columns:
        if target is None:
            raise RolesError("Baskets of 0/1 columns need --target, the column that holds the labels.")
        read = table()
        if target not in read:
            raise RolesError(f"There is no column {target!r} to predict.{did_you_mean(target, read.names)}")
        return Baskets.from_columns(read, target=target)
    if labels is None:
        raise RolesError("Baskets of transactions need --labels, a file with one label per line.")
    gap = "\t" if separator in ("tab", "\\t") else separator
    return Baskets.from_transactions(file, read_labels(labels), separator=gap)


def read_labels(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(f"There is no file {path.name!r}. Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name!r} cannot be read as text ({type(error).__name__}).") from None
    empty = sum(not line.strip() for line in lines)
    if empty:
        raise DataError(f"{empty} of the {len(lines)} lines of {path.name!r} are empty. Every row needs a label.")
    return [line.strip() for line in lines]


def _released(
    method: Method, data: Table | Baskets, roles: Roles | None, evaluate: bool
) -> tuple[Outcome, dict[str, bytes]]:
    """What came out, and files for the owner."""
    with step(f"Releasing {len(data):,} rows with {method.name}"):
        release = method.release(data, roles)
    kept = _candidates(method)  # before others are fitted to measure accuracy
    return _measured(method, release, data, roles, evaluate), kept


def _candidates(method: Method) -> dict[str, bytes]:
    """What a method chose among, where it keeps that, for `discreet choose`."""
    from discreet.choose import Results
    from discreet.choose.study_file import BASELINE

    choice = getattr(method, "choice_", None)
    return {} if choice is None else {"candidates.json": Results.of(choice.candidates, BASELINE).to_json()}


def _measured(method: Method, release: Release, data: Table | Baskets, roles: Roles | None, evaluate: bool) -> Outcome:
    from discreet.evaluate.utility import holdout
    from discreet.report.summary import Outcome

    if release.shape == "sketches":
        return Outcome(
            release,
            no_utility="It was not measured: learners of tables read no sketches, discreet.sketching.mining does.",
        )
    if not evaluate:
        return Outcome(release, no_utility="It was not measured; --evaluate measures it on held-out rows.")
    try:
        with step("Measuring accuracy on held-out rows"):
            return Outcome(release, holdout(method, data, roles))
    except (CannotRelease, DataError) as error:  # the release stands; three tenths of the rows fewer were too few
        return Outcome(release, no_utility=f"It could not be measured on held-out rows: {error}")


def _save(
    outcome: Outcome,
    kept: dict[str, bytes],
    data: Table | Baskets,
    roles: Roles | None,
    file: Path,
    out: Path,
    format: str,
    sign: Path | None,
    overwrite: bool,
    report: bool,
    account: Account | None,
    quiet: bool,
    as_json: bool,
) -> None:
    from discreet.choose import owner_measures
    from discreet.data.baskets import Baskets
    from discreet.release.certificate import Certificate
    from discreet.report.release_page import to_html
    from discreet.report.summary import summarise
    from discreet.report.text import to_text

    if roles is not None and not isinstance(data, Baskets):
        data = data.readable(roles.named)
    summary = summarise(data, roles, [outcome], name=file.name)
    pages = {"report.html": to_html(summary).encode()} if report else {}
    kept = kept | pages
    if outcome.utility is not None:
        kept |= owner_measures(outcome.release, outcome.utility)
    with step("Writing, reading back, verifying"):
        written: dict[str, Any] = {"format": format, "sign_with": sign, "overwrite": overwrite, "owner_files": kept}
        outcome.release.save(out, **written, account=account)
    published, owner = out / "release", out / "owner"
    release_id = Certificate.read(published).id
    if as_json:
        page = str(owner / "report.html") if pages else None
        emit({"release": str(published), "id": release_id, "owner": str(owner), "report": page, "summary": summary})
        return
    say(*(to_text(summary).split("\n") if not quiet else [outcome.release.verdict.sentence()]))
    if quiet:
        return
    say("", f"Publish  {published}   ({', '.join(sorted(path.name for path in published.iterdir()))})")
    say(f"Keep     {owner}   ({', '.join(sorted(path.name for path in owner.iterdir()))})")
    say(f"Check    discreet verify {published} --id {release_id}")
    if account is not None:
        say(f"Left     {account.ledger.left(account.data_set)} of {plain(account.data_set)}")
