# SPDX-License-Identifier: Apache-2.0
"""Differential privacy: the release would be nearly as likely if any one person's row had been different.

Definition (Dwork, McSherry, Nissim and Smith 2006): for every two tables that differ in one row and every set of
outcomes S, Pr[outcome of one in S] <= e^epsilon Pr[outcome of the other in S] + delta. Neighbours are tables of equal
size that differ in one row ("replace-one"; the number of rows is public), unless "add-remove" is stated.

It is a property of how a release was drawn, not of the released values, so no file can show it. The check adds up the
cost of the stated noise; the verdict's kind is "proved".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from discreet.data.content import Content
from discreet.errors import DataError
from discreet.privacy.budget import NEIGHBOURS, Budget, epsilon_of, total, within
from discreet.privacy.noise import Noise, from_statement
from discreet.privacy.promise import Both, Interval, Promise, StrOptions, Verdict, VerdictKind


@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    """Changing one person's row changes the probability of any outcome by a factor of at most e^epsilon.

    `delta` is the probability that this may fail.

    Promise
    -------
    Assumes that each person has one row, that what is declared public (number of rows, column names, bounds, domains)
    is public, and that the noise was drawn as stated. Other releases of the same persons add to epsilon; the ledger
    keeps count.

    >>> noise = Noise("laplace-top", sensitivity=99, scale=198.0)
    >>> DifferentialPrivacy(1.0).check([noise]).sentence()
    '1-differential privacy holds: 1 required, 1 measured.'
    """

    name: ClassVar[str] = "differential privacy"
    kind: ClassVar[VerdictKind] = "proved"
    higher_is_safer: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = (
        "What is true of many persons together is not hidden, and may be applied to one of them. Several releases of"
        " the same persons add up: the epsilons are summed."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "delta": [Interval(Real, 0, 1, closed="left")],
        "neighbours": [StrOptions(set(NEIGHBOURS))],
    }

    epsilon: float = 1.0
    delta: float = 0.0
    neighbours: str = "replace-one"

    def __str__(self) -> str:
        parameters = f"{self.epsilon:g}" if not self.delta else f"({self.epsilon:g}, {self.delta:.2g})"
        return f"{parameters}-differential privacy"

    @property
    def budget(self) -> Budget:
        return Budget(self.epsilon, self.delta)

    def cost(self, content: object = None) -> Budget:
        """The cost of a release under this promise. `content` is its noise or a document that states it, from which the
        zero-concentrated loss follows; the promise alone bounds it badly.
        """
        uses = _uses(content)
        if not isinstance(uses, Sequence) or not uses:
            return self.budget
        return Budget(self.epsilon, self.delta, total(noise.loss for noise in uses).rho)

    def check(self, data: object, roles: object = None) -> Verdict:
        """Add up the cost of the noise: a sequence of `Noise`, or a document that states it."""
        data = _uses(data)
        if not isinstance(data, Sequence) or not data or not all(isinstance(noise, Noise) for noise in data):
            raise DataError(
                "Differential privacy is a property of how a release was drawn, so no data can show it. Check it on the"
                " noise that the certificate states."
            )
        if any(noise.neighbours != self.neighbours for noise in data):
            raise DataError(f"The promise is for {self.neighbours} neighbours, the noise for others.")
        losses = [noise.loss for noise in data]
        spent = total(losses)
        measured, holds = spent.epsilon, within(losses, self.budget)
        if not holds and self.delta and spent.rho is not None:  # try zCDP accounting at the promise's delta
            measured, holds = epsilon_of(spent.rho, self.delta), within(losses, self.budget, "zcdp")
        return Verdict(
            promise=str(self),
            holds=holds,
            required=self.epsilon,
            measured=measured,
            rows=0,
            rows_short=0,
            kind="proved",
            notes=tuple(noise.sentence() for noise in data),
        )

    def check_content(self, content: Content, roles: object, *, noise: Sequence[Noise] = (), **_: object) -> Verdict:
        """Check the stated noise; published rows cannot show differential privacy."""
        return self.check(noise or content)


def _uses(data: object) -> object:
    """The noise that a document states; anything else is returned unchanged."""
    return data if getattr(data, "stated_noise", None) is None else from_statement(data.stated_noise)  # type: ignore[attr-defined]


def private_part(promise: Promise) -> DifferentialPrivacy | None:
    """The differential privacy in a promise, which costs a budget; None if there is none.

    >>> private_part(DifferentialPrivacy(0.5)).cost()
    Budget(epsilon=0.5, delta=0.0, rho=0.125)
    """
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    return next((part for part in parts if isinstance(part, DifferentialPrivacy)), None)
