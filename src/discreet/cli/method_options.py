# SPDX-License-Identifier: Apache-2.0
"""Build a method from its name and parameters: common parameters have options, `--set` takes any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import given_once, share_or_file, shares
from discreet.cli.running import in_a_row, running
from discreet.errors import DataError, ParameterError, Setting, did_you_mean, listing, shown

if TYPE_CHECKING:
    from discreet.methods import Method

METHOD = "Method and promise"


def parameter(help: str, *names: str, default: str = "that of the method", **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=METHOD, show_default=default, **more)


@dataclass(frozen=True)
class MethodOptions:
    """Parameters of methods that have an option of their own."""

    k: Annotated[int | None, parameter("How many persons must be alike.", "--k", default="5")] = None
    l: Annotated[  # noqa: E741
        float | None, parameter("Tables: how many sensitive values every group has.", "--l", default="none")
    ] = None
    t: Annotated[
        float | None, parameter("Tables: how far sensitive values are from the whole table.", "--t", default="none")
    ] = None
    m: Annotated[int | None, parameter("km: how many items of a person an attacker may know.", "--m", default="2")] = (
        None
    )
    label_known: Annotated[
        bool | None,
        parameter("Whether k persons are left also to somebody who knows the label.", "--label-known", default="off"),
    ] = None
    population: Annotated[
        str | None,
        parameter(
            "mondrian: k persons of the population are alike (k-map): a file of all who could have been in the table,"
            " or the share of them who are, such as 0.1.",
            "--population",
            default="none",
        ),
    ] = None
    epsilon: Annotated[float | None, parameter("Differential privacy: the budget of the release.", default="1")] = None
    split: Annotated[str | None, parameter("mondrian: median or information.", default="median")] = None
    utility: Annotated[
        str | None,
        parameter(
            "greedy: hamdist, distcnt or cm; maximal: hamdist or distcnt; optimal: auc and others.",
            default="hamdist; optimal auc, km information",
        ),
    ] = None
    constraint: Annotated[str | None, parameter("greedy: containment or k-anonymity.", default="containment")] = None
    absences: Annotated[
        int | None, parameter("greedy: how many absent items of a person an attacker may know.", default="0")
    ] = None
    on_infeasible: Annotated[str | None, parameter("greedy: skip or stop.", default="skip")] = None
    max_features: Annotated[int | None, parameter("greedy, optimal: the most items to select.", default="none")] = None
    max_suppressed: Annotated[
        str | None,
        parameter(
            "Tables: fail if more than this share of quasi cells is suppressed; 0.2, or rows=0.05,cells=0.3.",
            default="none",
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        parameter("Any parameter of the method, name=value (JSON or text); repeatable.", "--set", default="none"),
    ] = None
    seed: Annotated[
        int | None,
        parameter("Makes the release repeatable. Kept in owner/, never published.", default="none: fresh randomness"),
    ] = None

    def build(self, name: str) -> Method:
        """The named method with these parameters."""
        return build(name, self.parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that were given; DataError for one that is given twice."""
        arguments = asdict(self) | {"random_state": self.seed}
        if self.max_suppressed is not None:
            arguments["max_suppressed"] = shares(self.max_suppressed, "--max-suppressed")
        typed = {one: v for one, v in arguments.items() if v is not None and one not in ("settings", "seed")}
        if self.population is not None:
            typed["population"] = share_or_file(self.population)
        if self.l is not None and self.l.is_integer():
            typed["l"] = int(self.l)
        return given_once(typed, self.settings)


def build(name: str, parameters: dict[str, Any]) -> Method:
    """The named method with these parameters; DataError for an unknown name or parameter."""
    from discreet.foundation.parameters import check_parameters
    from discreet.methods import METHODS, methods_with, parameters_of
    from discreet.release.older_names import renamed

    if name not in METHODS:
        raise DataError(
            f"There is no method {shown(name)}.{did_you_mean(name, METHODS)} They are {listing(METHODS, most=99)};"
            " `discreet methods` says when to use which."
        )
    accepted, parameters = sorted(parameters_of(name)), renamed(name, parameters)
    unknown = next((parameter for parameter in parameters if parameter not in accepted), None)
    if unknown is not None:
        others = methods_with(unknown)
        near = did_you_mean(unknown, accepted)
        hint = f"it is for {in_a_row(others, 'or')}." if others else f"no method has it.{near}"
        raise ParameterError(
            f"The method {name!r} does not take ",
            Setting(unknown),
            f": {hint} `discreet methods {name}` lists what it takes.",
        )
    method = METHODS[name](**parameters)
    check_parameters(method, method._parameter_constraints)  # before the file is read
    return method


def said_defaults(name: str, given: Iterable[str]) -> tuple[dict[str, Any], str]:
    """What a method promises because it was not told how much, and a sentence that says so."""
    from discreet.methods import promised_by_default

    taken = promised_by_default(name, given)
    options = in_a_row([running().spelt(one) for one in taken]) if taken else ""
    values = in_a_row([f"{one} = {value:g}" for one, value in taken.items()]) if taken else ""
    were = "was" if len(taken) == 1 else "were"
    return taken, f"{options} {were} not given: {name} takes {values}." if taken else ""
