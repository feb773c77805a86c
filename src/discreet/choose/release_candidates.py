# SPDX-License-Identifier: Apache-2.0
"""Releases as candidates: utility, privacy, size and losses of a release in memory, or of a saved one.

utility            an accuracy, or any number that the owner provides
privacy            measured by the release's own promise, by another promise, or by an attack's success
k-anonymity, ...   the same under the name of each promise, also if several are joined
risk               the mean probability of picking the right row in a group: groups divided by rows
detail             what can still be read of the quasi-identifiers, see information_kept.py
size               published columns with two labels or more, without the target; or published quasi-identifier cells
                   that are not suppressed
utility_error      the standard error of a utility over the held-out rows
above_guessing     the gain over guessing on held-out rows, the lower end of its 95 % interval
raw                accuracy on held-out rows that are not recoded
information_loss, certainty_penalty    see losses.py

A saved release is verified first: one that does not keep its promise is no candidate. Measures that the published files
do not show are the owner's, in `owner/measures.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from discreet.choose.choice import UTILITY_ERROR, Candidate, Measure
from discreet.choose.criteria import Number
from discreet.choose.recommendable import ABOVE_GUESSING
from discreet.data.content import Content
from discreet.errors import DataError, PromiseBroken, shown
from discreet.privacy.promise import Both, Promise, Verdict
from discreet.release.certificate import CERTIFICATE, Certificate, VerdictRecord
from discreet.release.losses import cells_told
from discreet.release.release import Release
from discreet.release.verify import read_release, verify

MEASURED = "measures.json"  # in the owner's folder
_WIDTH = 2 * 1.96  # of a 95 % interval, in standard errors
Size = Literal["columns", "cells"]


class _Share(Protocol):
    @property
    def value(self) -> float: ...


class _Interval(_Share, Protocol):
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class HoldoutAccuracy(Protocol):
    """The accuracies of `holdout`, on held-out rows."""

    @property
    def accuracy_before(self) -> _Share: ...
    @property
    def accuracy_after(self) -> _Interval: ...
    @property
    def majority(self) -> _Share: ...
    @property
    def above_guessing(self) -> _Interval: ...
    @property
    def accuracy_raw(self) -> _Share | None: ...


class _Measured(BaseModel):
    """`owner/measures.json`: what the owner measured of a release."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    measures: dict[str, FiniteFloat]
    meanings: dict[str, Measure] = {}


_RISK = Measure(title="Average risk", unit="share", higher_is_better=False, scale=(1.0, 0.0))


def from_release(
    release: Release,
    *,
    name: str = "",
    utility: HoldoutAccuracy | Number | None = None,
    privacy: Promise | Number | None = None,
    size: Size = "columns",
) -> Candidate:
    """A release as a candidate.

    `utility` is a number or the result of `holdout`. `privacy` is a promise to measure in place of the release's own,
    or a number, such as an attack's success (state with `choose(measures=...)` that less of it is better).
    """
    measures, meanings = _measured_by_owner(release, utility)
    of_promise, explained = _privacy(release.promise, release.verdict, privacy)
    if isinstance(privacy, Promise):
        of_promise["privacy"] = release.check(privacy).measured
    more, means = _of_content(release.certificate, release.content, size)
    return Candidate(
        name or f"{release.method}, {release.promise}",
        measures | of_promise | {name: value for name, value in more.items() if name not in measures},
        release.method,
        release.parameters,
        meanings | explained | means,
    )


def from_folder(
    folder: str | os.PathLike[str],
    *,
    name: str = "",
    utility: HoldoutAccuracy | Number | None = None,
    privacy: Promise | Number | None = None,
    size: Size = "columns",
) -> Candidate:
    """A saved release as a candidate, verified; `folder` is the one passed to `save`, or its `release` folder."""
    published, owner = folders(Path(folder))
    verification = verify(published, owner=owner, patient=owner is not None)
    if not verification.holds:
        raise PromiseBroken(f"{shown(published.parent.name)} is no candidate. {verification.sentence()}")
    certificate = verification.certificate
    assert certificate is not None
    of_promise, meanings = _privacy(certificate.the_promise(), certificate.verdict, privacy)
    content, roles = read_release(published, certificate)
    if isinstance(privacy, Promise):
        if certificate.counted == "persons":
            raise DataError(
                f"{shown(published.parent.name)} counts persons, whom its files do not tell apart: measure another"
                " promise on the release in memory (from_release)."
            )
        of_promise["privacy"] = privacy.check_content(content, roles).measured
    more, means = _of_content(certificate, content, size)
    measured = _read_measured(owner)
    measures = dict(measured.measures) | of_promise | more
    if "detail" in measured.measures:  # the certificate states it in hundredths
        measures["detail"] = measured.measures["detail"]
    meanings = dict(measured.meanings) | meanings | means
    if utility is not None:
        measures, meanings = measures | _of_accuracy(utility), _with_accuracy(meanings, utility)
    method = certificate.method
    return Candidate(name or Path(folder).name, measures, method.name, method.parameters, meanings)


def owner_measures(release: Release, utility: HoldoutAccuracy | Number | None = None) -> dict[str, bytes]:
    """The owner's measures as a file: `release.save(folder, owner_files=owner_measures(release, ...))`."""
    measures, meanings = _measured_by_owner(release, utility)
    measured = _Measured(measures={name: float(value) for name, value in measures.items()}, meanings=meanings)
    return {MEASURED: (json.dumps(measured.model_dump(mode="json"), indent=1) + "\n").encode()}


def folders(folder: Path) -> tuple[Path, Path | None]:
    """The published folder and the owner's, if there is one."""
    published = folder / "release" if (folder / "release" / CERTIFICATE).is_file() else folder
    if not (published / CERTIFICATE).is_file():
        raise DataError(
            f"{shown(folder.name)} holds no release: neither it nor its folder 'release' has {CERTIFICATE}."
        )
    owner = published.parent / "owner"
    return published, owner if published.name == "release" and owner.is_dir() else None


# -- measures ------------------------------------------------------------------------------------------------------


def _measured_by_owner(
    release: Release, utility: HoldoutAccuracy | Number | None
) -> tuple[dict[str, Any], dict[str, Measure]]:
    measures: dict[str, Any] = {}
    if release.content.has_cells:
        measures["information_loss"] = release.losses.information_loss
        if release.losses.certainty_penalty is not None:
            measures["certainty_penalty"] = release.losses.certainty_penalty
    if release.detail is not None:
        measures["detail"] = release.detail.whole
    if utility is None:
        return measures, {}
    return measures | _of_accuracy(utility), _with_accuracy({}, utility)


def _of_accuracy(utility: HoldoutAccuracy | Number) -> dict[str, Number]:
    """Utility, and where `holdout` measured it, the gain over guessing and the accuracy without recoding."""
    if not hasattr(utility, "accuracy_after"):
        return {"utility": utility}
    measured = cast("HoldoutAccuracy", utility)
    after = measured.accuracy_after
    found: dict[str, Number] = {"utility": after.value, ABOVE_GUESSING: measured.above_guessing.low}
    found[UTILITY_ERROR] = (after.high - after.low) / _WIDTH
    return found if measured.accuracy_raw is None else found | {"raw": measured.accuracy_raw.value}


def _with_accuracy(meanings: Mapping[str, Measure], utility: HoldoutAccuracy | Number) -> dict[str, Measure]:
    """Scale an accuracy from that of the commonest class (0) to that of the original columns (1)."""
    without = {name: meaning for name, meaning in meanings.items() if name != "utility"}
    if not hasattr(utility, "accuracy_after"):
        return without
    measured = cast("HoldoutAccuracy", utility)
    worst, best = measured.majority.value, measured.accuracy_before.value
    scale = (worst, best) if worst < best else None
    return without | {"utility": Measure(title="Accuracy on held-out rows", unit="share", scale=scale)}


def _privacy(
    promise: Promise, verdict: Verdict | VerdictRecord, chosen: Promise | Number | None
) -> tuple[dict[str, Any], dict[str, Measure]]:
    """The measurement of each promise, by name; and as `privacy` the chosen one, or that of the only promise."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    verdicts = verdict.parts if isinstance(promise, Both) else (verdict,)  # parts may be sensitive columns, too
    measures: dict[str, Any] = {part.name: its.measured for part, its in zip(parts, verdicts, strict=True)}
    meanings = {part.name: _meaning(part) for part in parts}
    if chosen is None:
        if len(parts) == 1:
            measures["privacy"], meanings["privacy"] = verdict.measured, _meaning(promise)
    elif isinstance(chosen, Promise):
        if isinstance(chosen, Both):
            raise DataError("Several promises measure different things: name one of them as 'privacy'.")
        meanings["privacy"] = _meaning(chosen)
    else:
        measures["privacy"] = chosen
    return measures, meanings


def _meaning(promise: Promise) -> Measure:
    """The measure of a promise, named with all parameters but the first, which is the level that it requires."""
    stated = promise.to_dict()
    others = [f"{field.name} {_words(stated[field.name])}" for field in fields(promise)[1:] if field.name in stated]  # type: ignore[arg-type]
    title = f"{promise.name} ({', '.join(others)})" if others else promise.name
    return Measure(title=title, higher_is_better=promise.higher_is_safer)


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _of_content(certificate: Certificate, content: Content, size: Size) -> tuple[dict[str, Any], dict[str, Measure]]:
    measures: dict[str, Any] = {}
    meanings: dict[str, Measure] = {}
    if certificate.detail is not None:
        measures["detail"] = certificate.detail.whole
    elif not content.has_cells:
        measures["detail"] = 0.0
    if certificate.groups is not None:
        measures["risk"], meanings["risk"] = certificate.groups.groups / max(certificate.rows, 1), _RISK
    if size == "columns":
        blank = {column.name for column in content.value_columns(content.names) if column.levels < 2}
        measures["size"] = sum(c.role != "target" and c.name not in blank for c in certificate.columns)
    elif size == "cells":
        measures["size"] = cells_told(content, certificate.names("quasi"))
    else:
        raise DataError(f"'size' counts 'columns' or 'cells'; got {size!r}.")
    meanings["size"] = Measure(title="Size", unit=size, higher_is_better=False)
    return measures, meanings


def _read_measured(owner: Path | None) -> _Measured:
    path = None if owner is None else owner / MEASURED
    if path is None or not path.exists():
        return _Measured(measures={})
    try:
        return _Measured.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise DataError(f"The owner's {MEASURED} cannot be read ({type(error).__name__}).") from None
