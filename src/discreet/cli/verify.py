# SPDX-License-Identifier: Apache-2.0
"""discreet verify: does a release keep its promise?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import Json, Quiet, emit, say, step, watch

if TYPE_CHECKING:
    from discreet.release.verify import Verification


def verify(
    folder: Annotated[Path, typer.Argument(help="The release folder, the one that holds certificate.json.")],
    owner: Annotated[
        Path | None, typer.Option(help="The owner's folder: repeats what only the private side can count.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="Ask for a signature by this public key.")] = None,
    release_id: Annotated[
        str | None, typer.Option("--id", help="Ask for the release with this id, as its holder gave it.")
    ] = None,
    patient: Annotated[
        bool, typer.Option("--patient", help="Check it even if that takes long: items of many different rows.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check a release from its files alone: exit status 0 if its promise holds, 1 if not or if that cannot be told."""
    from discreet.release.verify import verify as check

    watch(quiet=quiet, as_json=as_json)
    with step("Reading and counting"):
        found = check(folder, owner=owner, public_key=key, expected_id=release_id, patient=patient)
    if as_json:
        emit(_answer(found))
    else:
        _print(found, folder, quiet)
    raise typer.Exit(0 if found.holds else 1)


def _answer(found: Verification) -> dict[str, Any]:
    return {
        "format": 1,
        "holds": found.holds,
        "problems": list(found.problems),
        "remarks": list(found.remarks),
        "id": found.id,
        "signer": found.signer,
        "verdict": None if found.verdict is None else asdict(found.verdict),
        "certificate": None if found.certificate is None else found.certificate.model_dump(mode="json"),
    }


def _print(found: Verification, folder: Path, quiet: bool) -> None:
    from discreet.release.certificate import CERTIFICATE, EVIDENCE

    if not found.holds:
        say(f"Not verified. {' '.join(found.problems)}", err=True)
        for remark in () if quiet else found.remarks:
            say(f"  note       {remark}", err=True)
        if found.certificate is None and (folder / "release" / CERTIFICATE).is_file():
            say(f"Did you mean {folder / 'release'}?", err=True)
        return
    assert found.verdict is not None
    assert found.certificate is not None
    statement = found.certificate
    say(f"Verified. {found.verdict.sentence()}")
    if quiet:
        return
    kind = found.verdict.kind
    say(f"  id         {found.id}")
    say(f"  evidence   {kind}: {EVIDENCE[kind]}")
    what, columns = (statement.shape, "") if not statement.rows else ("data", f"{statement.rows:,} rows, ")
    say(f"  {what:<10} {columns}{len(statement.columns):,} columns, by {statement.method.name}")
    said = {"proved": "noise", "owner": "measured"}.get(kind)
    for note in found.verdict.notes if said else ():
        say(f"  {said:<10} {note}")
    if found.verdict.with_label is not None and found.verdict.with_label < found.verdict.required:
        say(f"  mind       an attacker who knows the label too is left with {found.verdict.with_label:g}")
    for remark in found.remarks:
        say(f"  note       {remark}")
