# SPDX-License-Identifier: Apache-2.0
"""discreet key: the key pair that signs certificates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say

app = typer.Typer(help="Keys that sign certificates.", no_args_is_help=True)


@app.callback()
def key() -> None:
    """Keys that sign certificates."""


@app.command("new")
def new(
    folder: Annotated[Path, typer.Argument(help="Where the two key files go; a key is never overwritten.")],
    as_json: Json = False,
) -> None:
    """Make a new Ed25519 key pair: the private key signs releases, the public key checks them."""
    from discreet.release.signature import new_key, public_key_in

    private, public = new_key(folder)
    key = public_key_in(public)
    if as_json:
        emit({"private": str(private), "public": str(public), "key": key})
        return
    say(f"{private}   keep this secret; sign with it: discreet release ... --sign {private}")
    say(f"{public}   hand this out; check with it: discreet verify FOLDER --key {public}")
    say(f"The public key is {key}: send it to recipients by another channel than the release.")


@app.command("show")
def show(
    public: Annotated[Path, typer.Argument(help="A public key file.")],
    as_json: Json = False,
) -> None:
    """Print a public key, to compare it with the signer that verify names."""
    from discreet.release.signature import public_key_in

    key = public_key_in(public)
    if as_json:
        emit({"key": key})
        return
    say(key)
