# SPDX-License-Identifier: Apache-2.0
"""Verify a saved release from its files, knowing promises but no methods, and trusting nothing that is opened.

All problems are listed, and a release holds only if there are none: the certificate is intact, the folder holds exactly
the plain files that it names, their sizes and hashes agree, the statements fit the promise, the promise holds on the
data as read back, every figure that can be recounted is the certified one, and no file holds more than its cells. What
cannot be recounted rests on the holder's word, and the remarks say so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.counting.row_counts import count_once, counted_alike
from discreet.data.content import Content
from discreet.data.document import SHAPES
from discreet.data.roles import Roles
from discreet.errors import DiscreetError
from discreet.foundation.displayed import Displayed
from discreet.privacy.promise import Verdict
from discreet.release.certificate import ID_DIGITS, Certificate
from discreet.release.copies import copy_problems, copy_record_problems
from discreet.release.owner_evidence import check_owner, persons_of, read_persons, read_records
from discreet.release.signature import public_key_in
from discreet.release.verify_case import CheckedRelease, Findings
from discreet.release.verify_counting import counting_by
from discreet.release.verify_detail import detail_problems
from discreet.release.verify_document import check_document
from discreet.release.verify_folder import (
    OpenFolder,
    contents_of,
    data_names,
    open_folder,
    open_release,
    read_groups,
    read_record,
    read_release,
    roles_of,
    signer_of,
)
from discreet.release.verify_noise import noise_problems
from discreet.release.verify_parameters import parameter_problems
from discreet.release.verify_promise import promise_problems
from discreet.release.verify_recount import bytes_problems, column_problems, rewritten_problems
from discreet.release.verify_remarks import (
    evidence_remarks,
    role_remarks,
    separate_sets_remarks,
    signer_remark,
    singled_out_remarks,
    weakness_remarks,
)
from discreet.release.verify_rows import check_rows
from discreet.release.verify_sketches import check_sketches
from discreet.release.verify_statement import statement_problems
from discreet.release.verify_verdicts import verdict_problems

__all__ = [
    "Verification",
    "check_owner",
    "open_release",
    "persons_of",
    "read_groups",
    "read_persons",
    "read_record",
    "read_records",
    "read_release",
    "roles_of",
    "separate_sets_remarks",
    "singled_out_remarks",
    "verify",
    "weakness_remarks",
]

_Count = Callable[[Content, Roles | None], None]
_LONGEST = 1000  # characters of a problem: a forged name may have millions


@dataclass(frozen=True, repr=False)
class Verification(Displayed):
    """The result of verifying. `problems` is empty if and only if `holds`; `signer` is a public key in hex.

    `content` is the data as read from the files.
    """

    holds: bool
    verdict: Verdict | None
    certificate: Certificate | None
    problems: tuple[str, ...] = ()
    signer: str | None = None
    remarks: tuple[str, ...] = ()
    id: str | None = None
    content: Content | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"Verification({self.sentence()})"

    def sentence(self) -> str:
        """The result in words."""
        result = self.verdict.sentence() if self.holds and self.verdict is not None else " ".join(self.problems)
        return f"{'Verified' if self.holds else 'Not verified'}. {result} {' '.join(self.remarks)}".strip()

    __str__ = sentence


def verify(
    folder: str | os.PathLike[str],
    *,
    owner: str | os.PathLike[str] | None = None,
    public_key: str | os.PathLike[str] | None = None,
    expected_id: str | None = None,
    patient: bool = False,
    engine: str | None = None,
    engine_options: Mapping[str, Any] | None = None,
) -> Verification:
    """Verify a release folder. With the `owner` folder, what only the owner can recompute is checked, too.

    `public_key` requires a signature by that key, `expected_id` a release with that id. `patient` allows checks that
    take longer than a few seconds, such as comparing many rows of items pair by pair. `engine` ("duckdb", "spark")
    counts rows that lie in parts; its options are those of the command: `{"memory": "4GB"}`, `{"master": "spark://..."}`.
    """
    check_owner(owner)
    expected_signer = None if public_key is None else public_key_in(Path(public_key))
    count = None if engine is None else counting_by(engine, engine_options or {})
    return _verified(Path(folder), owner, expected_signer, expected_id, patient, None, count)


def verify_written(folder: Path, *, owner: Path, content: Content) -> Verification:
    """Verify a folder that was just written with this content, which it must hold, cell by cell.

    Writing the same cells again would give the same bytes, so that is not done.
    """
    return _verified(folder, owner, None, None, True, content)


def _verified(
    folder: Path,
    owner: str | os.PathLike[str] | None,
    expected_signer: str | None,
    expected_id: str | None,
    patient: bool,
    written: Content | None,
    count: _Count | None = None,
) -> Verification:
    with open_folder(folder) as release:
        certificate, problems = release.certificate, release.problems
        if certificate is None:
            return Verification(False, None, None, tuple(problems))
        findings = Findings(problems=problems + _id_problems(certificate, expected_id))
        signer, wrong = signer_of(release, expected_signer)
        findings.problems += wrong
        if not problems:  # data with another hash is not the certified data
            _guarded(release, None if owner is None else Path(owner), findings, patient, written, count)
    remarks = (signer_remark(signer, expected_signer) if signer or not wrong else "", *findings.remarks)
    return Verification(
        not findings.problems,
        findings.verdict,
        certificate,
        tuple(findings.problems),
        signer,
        tuple(filter(None, remarks)),
        certificate.id,
        findings.content,
    )


def _guarded(
    release: OpenFolder,
    owner: Path | None,
    findings: Findings,
    patient: bool,
    written: Content | None,
    count: _Count | None,
) -> None:
    try:
        _check(release, owner, findings, patient, written, count)
    except DiscreetError as error:
        findings.problems.append(str(error)[:_LONGEST])
    except Exception as error:  # whatever a forged certificate leads to, it is not verified
        findings.problems.append(f"The release cannot be checked ({type(error).__name__}).")


def _id_problems(certificate: Certificate, expected: str | None) -> list[str]:
    if expected is None:
        return []
    if not re.fullmatch(f"[0-9a-fA-F]{{{ID_DIGITS}}}", expected.strip()):
        return [f"The expected id is not an id: it must have {ID_DIGITS} hexadecimal digits."]
    if expected.strip().lower() != certificate.id:
        return [f"This is not the expected release: its id is {certificate.id}."]
    return []


# -- checking ------------------------------------------------------------------------------------------------------

_CHECKS: dict[str, Callable[[CheckedRelease], None]] = {  # by shape
    "table": check_rows,
    "baskets": check_rows,
    "sketches": check_sketches,
    **dict.fromkeys(SHAPES, check_document),
}


def _bytes(
    release: OpenFolder, certificate: Certificate, content: Content, written: Content | None
) -> tuple[list[str], list[str]]:
    """Whether the data files hold nothing but their cells."""
    if written is not None:
        return ([] if content.equals(written) else ["The written files differ from the release."]), []
    if release.parts is not None:
        return rewritten_problems(release.parts, certificate)
    (name,) = data_names(certificate)
    return bytes_problems(content, release.files[name], name, certificate.files[name].sha256)


def _check(
    release: OpenFolder,
    owner: Path | None,
    findings: Findings,
    patient: bool,
    written: Content | None,
    count: _Count | None,
) -> None:
    certificate = release.certificate
    assert certificate is not None
    promise = certificate.the_promise()
    findings.problems += verdict_problems(certificate.verdict, promise, certificate.rows)
    wrong = column_problems(certificate) + copy_record_problems(certificate) + promise_problems(promise)
    wrong += parameter_problems(certificate.method.name, certificate.method.parameters)
    if wrong:  # the checks below rely on valid columns and parameters
        findings.problems += wrong
        return
    wrong, remarks = statement_problems(certificate, promise)
    findings.problems += wrong
    findings.remarks += remarks
    content, roles = contents_of(release)
    findings.content = content
    if count is not None:
        count(content, roles)
    if roles is not None and (release.parts is not None or written is not None):
        count_once(content, roles, like=written)
        if written is not None and not counted_alike(content, written):
            findings.problems.append("The written rows are not those that were decided on.")
    wrong, noise_remarks = noise_problems(certificate, content)
    findings.problems += wrong + detail_problems(certificate, content)
    _CHECKS[certificate.shape](CheckedRelease(release, certificate, promise, content, roles, owner, patient, findings))
    wrong, remarks = _bytes(release, certificate, content, written)
    findings.problems += wrong
    findings.remarks += remarks
    wrong, remarks = copy_problems(certificate, content, release.files, read_back=written is not None)
    findings.problems += wrong
    findings.remarks += remarks + evidence_remarks(certificate, with_owner=owner is not None) + noise_remarks
    findings.remarks += role_remarks(certificate, content)
