# SPDX-License-Identifier: Apache-2.0
"""discreet verify: does a release keep its promise?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.engine_options import CountingOptions
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, step, watch
from discreet.cli.policy_options import PolicyFile, read_policy, say_policy

if TYPE_CHECKING:
    from discreet.release.verify import Verification


@with_groups
def verify(
    *,
    folder: Annotated[Path, typer.Argument(help="The release folder, the one that holds certificate.json.")],
    owner: Annotated[
        Path | None, typer.Option(help="The owner's folder: also repeat the checks that need private data.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Require a signature by this public key.")] = None,
    release_id: Annotated[
        str | None, typer.Option("--id", help="Require this release id, as the data holder stated it.")
    ] = None,
    patient: Annotated[
        bool, typer.Option("--patient", help="Check even if it takes long: baskets with many different rows.")
    ] = False,
    rows: CountingOptions,
    source: Annotated[
        str | None,
        typer.Option(
            help="With --engine postgres: the table that the rows were copied to (release --sink), compared with them.",
            rich_help_panel="Rows beyond memory",
        ),
    ] = None,
    policy: PolicyFile = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check a release from its files alone: exit status 0 if its promise holds, 1 if not or if it cannot be checked."""
    from discreet.release.verify import verify as check

    watch(quiet=quiet, as_json=as_json)
    limits = read_policy(policy)
    options = rows.with_source(source)
    with step("Reading and counting"):
        verification = check(
            folder,
            owner=owner,
            public_key=key,
            expected_id=release_id,
            patient=patient,
            engine=rows.engine,
            engine_options=options,
        )
    result = None
    if limits is not None and verification.holds:
        from discreet.report.policy import checked

        result = checked(limits, verification).to_dict()
    if as_json:
        emit(_answer(verification) | ({} if limits is None else {"policy": result}))
    else:
        _print(verification, folder, quiet)
        say_policy(result, quiet=quiet)
    raise typer.Exit(0 if verification.holds and (result is None or result["passed"]) else 1)


def _answer(verification: Verification) -> dict[str, Any]:
    return {
        "format": 1,
        "holds": verification.holds,
        "problems": list(verification.problems),
        "cautions": _cautions(verification),
        "remarks": list(verification.remarks),
        "id": verification.id,
        "signer": verification.signer,
        "verdict": None if verification.verdict is None else asdict(verification.verdict),
        "certificate": None if verification.certificate is None else verification.certificate.model_dump(mode="json"),
    }


def _cautions(verification: Verification) -> list[dict[str, str]]:
    """What a promise that holds leaves open, as `discreet release` says it."""
    from discreet.report.cautions import cautions_of_content

    if not verification.holds or verification.certificate is None or verification.content is None:
        return []
    return cautions_of_content(verification.certificate, verification.content)


def _print(verification: Verification, folder: Path, quiet: bool) -> None:
    from discreet.release.certificate import CERTIFICATE, EVIDENCE

    if not verification.holds:
        say(f"Not verified. {' '.join(verification.problems)}", err=True)
        for remark in () if quiet else verification.remarks:
            say(f"  note       {remark}", err=True)
        near = [place for place in (folder / "release", folder.parent / "release") if (place / CERTIFICATE).is_file()]
        if verification.certificate is None and near:
            say(f"Did you mean {near[0]}?", err=True)
        return
    assert verification.verdict is not None
    assert verification.certificate is not None
    statement = verification.certificate
    say(f"Verified. {verification.verdict.sentence()}")
    if quiet:
        return
    kind = verification.verdict.kind
    say(f"  id         {verification.id}")
    say(f"  evidence   {kind}: {EVIDENCE[kind]}")
    what, columns = (statement.shape, "") if not statement.rows else ("data", f"{statement.rows:,} rows, ")
    say(f"  {what:<10} {columns}{len(statement.columns):,} columns, by {statement.method.name}")
    heading = {"proved": "noise", "owner": "measured"}.get(kind)
    for note in verification.verdict.notes if heading else ():
        say(f"  {heading:<10} {note}")
    minded = [line["text"] for line in _cautions(verification)]
    for text in minded:
        say(f"  mind       {text}")
    for remark in (one for one in verification.remarks if one not in minded):
        say(f"  note       {remark}")
