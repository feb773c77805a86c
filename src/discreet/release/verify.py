# SPDX-License-Identifier: Apache-2.0
"""Re-checks a saved release from its files. Knows promises, no method, and trusts nothing that it opens.

What it finds wrong it lists; a release holds only when nothing is wrong: the certificate is whole, the folder holds
the plain files it names and no others, their sizes and hashes agree, what is stated fits the promise, the promise holds
on the data as read back, every figure that can be counted again is the one that was certified, and no file holds more
than its cells. What cannot be counted is the holder's word, and the remarks say so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from discreet.data.content import Content
from discreet.data.document import SHAPES
from discreet.errors import DiscreetError
from discreet.privacy.promise import Verdict
from discreet.release.certificate import ID_DIGITS, Certificate
from discreet.release.owner_evidence import read_persons, read_records
from discreet.release.signature import public_key_in
from discreet.release.verify_case import CheckedRelease, Findings
from discreet.release.verify_document import check_document
from discreet.release.verify_folder import (
    OpenFolder,
    contents_of,
    data_file,
    open_folder,
    open_release,
    read_record,
    read_release,
    signer_of,
)
from discreet.release.verify_noise import noise_problems
from discreet.release.verify_parameters import parameter_problems, promise_problems
from discreet.release.verify_recount import bytes_problems, column_problems
from discreet.release.verify_remarks import evidence_remarks, role_remarks, signer_remark
from discreet.release.verify_rows import check_rows
from discreet.release.verify_sketches import check_sketches
from discreet.release.verify_statement import statement_problems
from discreet.release.verify_verdicts import verdict_problems

__all__ = [
    "Verification",
    "open_release",
    "read_persons",
    "read_record",
    "read_records",
    "read_release",
    "verify",
]

_LONGEST = 1000  # characters of a problem: a made-up name may have millions


@dataclass(frozen=True)
class Verification:
    """What verifying found. `problems` is empty exactly when `holds`; `signer` is a public key in hex.

    `content` is the data as it was read.
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

    def sentence(self) -> str:
        """What was found, in words."""
        found = self.verdict.sentence() if self.holds and self.verdict is not None else " ".join(self.problems)
        return f"{'Verified' if self.holds else 'Not verified'}. {found} {' '.join(self.remarks)}".strip()

    __str__ = sentence


def verify(
    folder: str | os.PathLike[str],
    *,
    owner: str | os.PathLike[str] | None = None,
    public_key: str | os.PathLike[str] | None = None,
    expected_id: str | None = None,
    patient: bool = False,
) -> Verification:
    """Check a release folder. `owner` adds the owner's folder, for what only the private side can recompute;
    `public_key` asks for a signature by that key, `expected_id` for this release and no other. `patient` also checks
    what takes longer than a few seconds: items of many rows are compared pair by pair.
    """
    asked = None if public_key is None else public_key_in(Path(public_key))
    with open_folder(Path(folder)) as release:
        certificate, problems = release.certificate, release.problems
        if certificate is None:
            return Verification(False, None, None, tuple(problems))
        found = Findings(problems=problems + _id_problems(certificate, expected_id))
        signer, wrong = signer_of(release, asked)
        found.problems += wrong
        if not problems:  # data whose hash differs is not the data that was certified
            _guarded(release, None if owner is None else Path(owner), found, patient)
    remarks = (signer_remark(signer, asked) if signer or not wrong else "", *found.remarks)
    return Verification(
        not found.problems,
        found.verdict,
        certificate,
        tuple(found.problems),
        signer,
        tuple(filter(None, remarks)),
        certificate.id,
        found.content,
    )


def _guarded(release: OpenFolder, owner: Path | None, found: Findings, patient: bool) -> None:
    try:
        _check(release, owner, found, patient)
    except DiscreetError as error:
        found.problems.append(str(error)[:_LONGEST])
    except Exception as error:  # whatever a made-up certificate leads to, it is not verified
        found.problems.append(f"The release cannot be checked ({type(error).__name__}).")


def _id_problems(certificate: Certificate, expected: str | None) -> list[str]:
    if expected is None:
        return []
    if not re.fullmatch(f"[0-9a-fA-F]{{{ID_DIGITS}}}", expected.strip()):
        return [f"An id has {ID_DIGITS} hexadecimal digits; something else was asked for."]
    if expected.strip().lower() != certificate.id:
        return [f"This is another release than the one asked for: its id is {certificate.id}."]
    return []


# -- checking ------------------------------------------------------------------------------------------------------

_CHECKS: dict[str, Callable[[CheckedRelease], None]] = {  # by shape
    "table": check_rows,
    "baskets": check_rows,
    "sketches": check_sketches,
    **dict.fromkeys(SHAPES, check_document),
}


def _check(release: OpenFolder, owner: Path | None, found: Findings, patient: bool) -> None:
    certificate = release.certificate
    assert certificate is not None
    promise = certificate.the_promise()
    found.problems += verdict_problems(certificate.verdict, promise, certificate.rows)
    wrong = column_problems(certificate) + promise_problems(promise)
    wrong += parameter_problems(certificate.method.name, certificate.method.parameters)
    if wrong:  # what follows rests on columns and parameters that are as they should be
        found.problems += wrong
        return
    wrong, remarks = statement_problems(certificate, promise)
    found.problems += wrong
    found.remarks += remarks
    content, roles = contents_of(release)
    found.content = content
    wrong, noise_remarks = noise_problems(certificate, content)
    found.problems += wrong
    _CHECKS[certificate.shape](CheckedRelease(release, certificate, promise, content, roles, owner, patient, found))
    name = data_file(certificate)
    wrong, remarks = bytes_problems(content, release.files[name], name, certificate.files[name].sha256)
    found.problems += wrong
    found.remarks += remarks + evidence_remarks(certificate, with_owner=owner is not None) + noise_remarks
    found.remarks += role_remarks(certificate, content)
