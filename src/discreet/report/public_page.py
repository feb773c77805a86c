# SPDX-License-Identifier: Apache-2.0
"""The public report: made from the published folder alone, so it reveals no more than the release itself.

Anybody with the folder can make the same page. It uses no private rows, no scores measured on them, no attacks and no
seed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from discreet._version import __version__
from discreet.counting.row_counts import row_counts_of
from discreet.data.baskets import Baskets
from discreet.data.content import Content
from discreet.errors import PromiseBroken
from discreet.evaluate.facts import plain_risk, promise_in_words
from discreet.evaluate.risk import risk
from discreet.learning.encoding import places
from discreet.release.certificate import EVIDENCE, Certificate
from discreet.release.verify import Verification, read_groups, read_record, read_release, verify
from discreet.report.cautions import cautions_of_content
from discreet.report.dictionary import dictionary_of
from discreet.report.policy import Policy, checked
from discreet.report.release_page import environment, group_sizes
from discreet.report.wording import percent

FORMAT = 2
MOST = 10  # labels drawn per column


def summarise_public(folder: str | os.PathLike[str], policy: Policy | None = None) -> dict[str, Any]:
    """Verify the published folder and summarise it; with a policy, say which of its lines the release keeps."""
    path = Path(folder)
    return summarise_verified(path, verify(path), policy)


def summarise_verified(path: Path, verification: Verification, policy: Policy | None = None) -> dict[str, Any]:
    """The summary of a published folder that was verified just now."""
    certificate = verification.certificate
    if certificate is None or (not verification.holds and verification.problems):
        raise PromiseBroken(f"There is nothing to report on. {verification.sentence()}")
    promise = certificate.the_promise()
    content = verification.content or read_release(path, certificate)[0]
    return {
        "format": FORMAT,
        "discreet": __version__,
        "edition": "public",
        "shape": certificate.shape,
        "promise": str(promise),
        "promise_in_words": promise_in_words(promise),
        "does_not_protect": promise.does_not_protect,
        "holds": certificate.verdict.holds,
        "evidence": EVIDENCE[certificate.verdict.kind],
        "id": certificate.id,
        "signer": verification.signer,
        "certificate_sha256": hashlib.sha256(certificate.to_bytes()).hexdigest(),
        "certificate_bytes": len(certificate.to_bytes()),
        "cautions": cautions_of_content(certificate, content),
        "policy": None if policy is None else checked(policy, verification).to_dict(),
        "remarks": list(verification.remarks),
        "columns": [column.model_dump() for column in certificate.columns],
        "certificate": certificate.model_dump(mode="json"),
        "rows": content.n_rows,
        "risk": _risk(content, certificate),
        "dictionary": dictionary_of(certificate, content, read_record(path), read_groups(path)),
        "columns_drawn": _DRAWN[certificate.shape](content, certificate) if certificate.shape in _DRAWN else [],
    }


def to_public_page(summary: dict[str, Any]) -> str:
    """The summary as one HTML file without scripts and requests."""
    sizes = [] if summary["risk"] is None else group_sizes({"risk_before": summary["risk"], "releases": []})
    return environment().get_template("public.html").render(report=summary, group_sizes=sizes)


def to_dictionary_page(summary: dict[str, Any]) -> str:
    """The data dictionary alone, as one HTML file."""
    return environment().get_template("dictionary.html").render(report=summary)


def _risk(content: Content, certificate: Certificate) -> dict[str, Any] | None:
    """Group sizes of the published rows, which anybody can count; no chances where the promise counts persons, since
    a group of many rows may be of few persons."""
    quasi = certificate.names("quasi")
    if not (content.has_cells and quasi and content.n_rows):
        return None
    found = plain_risk(risk(content, quasi))
    return found if certificate.counted == "rows" else found | {"average": None, "largest": None}


def _items(baskets: Baskets, certificate: Certificate) -> list[dict[str, Any]]:
    """Shares of rows that have each of the commonest items."""
    shares = baskets.support / max(len(baskets), 1)
    most = np.argsort(-shares, kind="stable")[:MOST].tolist()
    return [{"name": "items", "lines": [_line(baskets.names[item], float(shares[item])) for item in most]}]


def _columns(table: Content, certificate: Certificate) -> list[dict[str, Any]]:
    """Shares of the published labels, column by column."""
    charts, names = [], certificate.names("quasi") + certificate.names("target")
    counted = row_counts_of(table, names).whole
    for column in map(counted.column, names):
        counts = np.bincount(column.codes, counted.counts[:, 0], minlength=column.levels) / max(table.n_rows, 1)
        texts = [*column.texts, "(empty)"][: len(counts)]
        commonest = sorted(range(len(texts)), key=lambda place: (-counts[place], place))[:MOST]
        order = places(tuple(texts))
        lines = [_line(texts[place], float(counts[place])) for place in sorted(commonest, key=lambda one: order[one])]
        if len(texts) > MOST:
            rest = max(1 - sum(line["bars"][0]["share"] for line in lines), 0.0)
            lines.append(_line(f"{len(texts) - MOST} others", rest))
        charts.append({"name": column.name, "lines": lines})
    return charts


_DRAWN: dict[str, Callable[..., list[dict[str, Any]]]] = {"table": _columns, "baskets": _items}  # by shape


def _line(label: str, share: float) -> dict[str, Any]:
    return {"label": label, "zeros": True, "bars": [{"share": share, "text": percent(share)}]}
