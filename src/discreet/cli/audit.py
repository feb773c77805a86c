# SPDX-License-Identifier: Apache-2.0
"""discreet audit: run a mechanism many times on two neighbouring inputs and bound its epsilon from below."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_mechanisms
from discreet.cli.options import Json, Quiet, emit, say, step, watch
from discreet.errors import DataError, did_you_mean, listing

if TYPE_CHECKING:
    from discreet.mechanisms import Mechanism


def audit(
    mechanism: Annotated[
        str,
        typer.Argument(
            help="Such as geometric or laplace-top; an unknown name lists all.", autocompletion=complete_mechanisms
        ),
    ],
    epsilon: Annotated[float, typer.Option(help="The epsilon the mechanism is calibrated to.")] = 1.0,
    sensitivity: Annotated[float, typer.Option(help="In the norm of the mechanism.")] = 1.0,
    delta: Annotated[float | None, typer.Option(help="gaussian: the probability that epsilon may fail.")] = None,
    dimension: Annotated[int | None, typer.Option(help="laplace, gaussian, euclidean: how many numbers.")] = None,
    picks: Annotated[int | None, typer.Option(help="Selections: how many are picked.")] = None,
    claim: Annotated[float | None, typer.Option(help="Compare with this epsilon instead of the stated one.")] = None,
    runs: Annotated[int, typer.Option(help="On each of the two neighbours.")] = 20_000,
    false_alarm: Annotated[float, typer.Option(help="The probability that a sound mechanism is refuted.")] = 1e-6,
    seed: Annotated[int | None, typer.Option(help="Audit the repeatable simulation instead of the real noise.")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Bound the epsilon of a mechanism from below: exit status 1 if the bound is above the claim, else 0.

    A bound above the claim proves a defect, up to the false-alarm probability. A bound below it proves nothing.
    """
    from discreet.evaluate.audit import audit_mechanism

    watch(quiet=quiet, as_json=as_json)
    audited = _build(mechanism, epsilon, sensitivity, {"delta": delta, "dimension": dimension, "picks": picks})
    claimed = audited.loss.epsilon if claim is None else claim
    with step(f"Running {mechanism} {2 * runs:,} times"):
        bound = audit_mechanism(audited, runs=runs, false_alarm=false_alarm, random_state=seed)
    refuted = bound.refutes(claimed)
    if as_json:
        answer = {"format": 1, "noise": asdict(audited.noise), **asdict(bound), "claim": claimed, "refuted": refuted}
        emit(answer | {"confidence": 1 - false_alarm, "simulation": seed is not None})
    else:
        say(audited.noise.sentence())
        say(f"  bound       epsilon is at least {bound.epsilon:.3f}")
        say(f"  claim       epsilon is at most {claimed:g}")
        say(f"  confidence  all but {false_alarm:g}, from {runs:,} runs on each of two neighbours")
        if not quiet:
            say(f"  event       {bound.event}")
            say(f"  noise       {'a simulation with a seed' if seed is not None else 'as releases draw it'}")
        proves = "Refuted: the claim is wrong." if refuted else "Not refuted. A bound below the claim proves nothing."
        say(proves)
    raise typer.Exit(1 if refuted else 0)


def _build(name: str, epsilon: float, sensitivity: float, more: dict[str, Any]) -> Mechanism:
    from discreet.mechanisms import MECHANISMS

    if name not in MECHANISMS:
        raise DataError(
            f"There is no mechanism {name!r}.{did_you_mean(name, MECHANISMS)} They are {listing(MECHANISMS, most=99)}."
        )
    arguments = {option: value for option, value in more.items() if value is not None}
    accepted = {field.name for field in fields(MECHANISMS[name])}
    unknown = sorted(arguments.keys() - accepted)
    if unknown:
        option = unknown[0]
        others = [other for other, cls in MECHANISMS.items() if option in {field.name for field in fields(cls)}]
        raise DataError(
            f"The mechanism {name!r} does not take --{option}: it is for {', '.join(others)}. Leave it out."
        )
    if "delta" in accepted and "delta" not in arguments:
        raise DataError(f"The mechanism {name!r} needs a delta above 0. Give one, such as --delta 1e-6.")
    plain = int(sensitivity) if sensitivity == int(sensitivity) else sensitivity
    return MECHANISMS[name](sensitivity=plain, epsilon=epsilon, **arguments)
