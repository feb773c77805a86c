# SPDX-License-Identifier: Apache-2.0
"""Build a method from its name and parameters: common parameters have options, `--set` takes any."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import shares, values
from discreet.errors import DataError, did_you_mean, listing

if TYPE_CHECKING:
    from discreet.methods import Method

METHOD = "Method and promise"


def parameter(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=METHOD)


@dataclass(frozen=True)
class MethodOptions:
    """Parameters of methods that have an option of their own."""

    k: Annotated[int | None, parameter("How many persons must be alike.", "--k")] = None
    l: Annotated[float | None, parameter("Tables: how many sensitive values every group has.", "--l")] = None  # noqa: E741
    t: Annotated[float | None, parameter("Tables: how far sensitive values are from the whole table.", "--t")] = None
    m: Annotated[int | None, parameter("km: how many items of a person an attacker may know.", "--m")] = None
    label_known: Annotated[
        bool | None, parameter("Whether k persons are left also to who knows the label.", "--label-known")
    ] = None
    epsilon: Annotated[float | None, parameter("Differential privacy: the budget of the release.")] = None
    split: Annotated[str | None, parameter("mondrian: median or information.")] = None
    utility: Annotated[
        str | None, parameter("greedy: hamdist, distcnt or cm; maximal: hamdist or distcnt; optimal: auc and others.")
    ] = None
    constraint: Annotated[str | None, parameter("greedy: containment or k-anonymity.")] = None
    absences: Annotated[int | None, parameter("greedy: how many absent items of a person an attacker may know.")] = None
    on_infeasible: Annotated[str | None, parameter("greedy: skip or stop.")] = None
    max_features: Annotated[int | None, parameter("greedy, optimal: the most items to select.")] = None
    max_suppressed: Annotated[
        str | None,
        parameter("Tables: fail if more than this share of quasi cells is suppressed; 0.2, or rows=0.05,cells=0.3."),
    ] = None
    settings: Annotated[
        list[str] | None, parameter("Any parameter of the method, name=value (JSON or text).", "--set")
    ] = None
    seed: Annotated[int | None, parameter("Makes the release repeatable. Kept in owner/, never published.")] = None

    def build(self, name: str) -> Method:
        """The named method with these parameters."""
        return build(name, self.parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that were given."""
        arguments = asdict(self) | {"random_state": self.seed}
        if self.max_suppressed is not None:
            arguments["max_suppressed"] = shares(self.max_suppressed, "--max-suppressed")
        parameters = {one: v for one, v in arguments.items() if v is not None and one not in ("settings", "seed")}
        if self.l is not None and self.l.is_integer():
            parameters["l"] = int(self.l)
        return parameters | values(self.settings)


def build(name: str, parameters: dict[str, Any]) -> Method:
    """The named method with these parameters; DataError for an unknown name or parameter."""
    from discreet.methods import METHODS
    from discreet.release.older_names import renamed

    if name not in METHODS:
        raise DataError(
            f"There is no method {name!r}.{did_you_mean(name, METHODS)} They are {listing(METHODS, most=99)}."
        )
    method_class = METHODS[name]
    accepted, parameters = sorted(signature(method_class).parameters), renamed(name, parameters)
    unknown = [parameter for parameter in parameters if parameter not in accepted]
    if unknown:
        hint = did_you_mean(unknown[0], accepted)
        raise DataError(
            f"The method {name!r} has no parameter {listing(unknown)}.{hint} It has {listing(accepted, most=20)}."
        )
    return method_class(**parameters)
