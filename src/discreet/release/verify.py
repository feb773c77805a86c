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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.data.baskets import Baskets
from discreet.data.column import encode
from discreet.data.document import Document
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetError, listing
from discreet.learning.published_tree import PublishedTree
from discreet.privacy.exposure import are_items
from discreet.privacy.noise import Noise
from discreet.privacy.promise import Both, Promise, Verdict
from discreet.recoding.record import record_problems
from discreet.release.certificate import ID_DIGITS, Certificate, GroupsRecord, VerdictRecord
from discreet.release.losses import groups_of
from discreet.release.signature import public_key_in
from discreet.release.verify_folder import (
    Content,
    Opened,
    contents_of,
    data_file,
    open_folder,
    open_release,
    read_record,
    read_release,
    record_of,
    signer_of,
)
from discreet.release.verify_noise import noise_of, noise_problems
from discreet.release.verify_owner import EVIDENCE, PERSONS, read_persons, read_records, read_source, with_evidence
from discreet.release.verify_parameters import parameter_problems, promise_problems
from discreet.release.verify_recount import (
    bytes_problems,
    change_problems,
    column_problems,
    domain_problems,
    sketch_problems,
)
from discreet.release.verify_remarks import evidence_remarks, record_remarks, role_remarks, signer_remark
from discreet.release.verify_statement import statement_problems
from discreet.release.verify_verdicts import (
    bare_problems,
    breach_problems,
    model_problems,
    person_problems,
    verdict_problems,
)
from discreet.sketching.sketches import Sketches

__all__ = [
    "EVIDENCE",
    "PERSONS",
    "Verification",
    "check_published",
    "open_release",
    "read_persons",
    "read_record",
    "read_records",
    "read_release",
    "verify",
]

_PERSON = "\x00person"  # a column name no file can have
_MOST_PAIRS = 10**8  # a few seconds
_LONGEST = 1000  # characters of a problem: a made-up name may have millions
_DIFFERS = "What is measured now differs from what the certificate states."


@dataclass(frozen=True)
class Verification:
    """What verifying found. `problems` is empty exactly when `holds`; `signer` is a public key in hex."""

    holds: bool
    verdict: Verdict | None
    certificate: Certificate | None
    problems: tuple[str, ...] = ()
    signer: str | None = None
    remarks: tuple[str, ...] = ()
    id: str | None = None

    def __bool__(self) -> bool:
        return self.holds

    def sentence(self) -> str:
        """What was found, in words."""
        found = self.verdict.sentence() if self.holds and self.verdict is not None else " ".join(self.problems)
        return f"{'Verified' if self.holds else 'Not verified'}. {found} {' '.join(self.remarks)}".strip()

    __str__ = sentence


@dataclass
class _Findings:
    """What a check came upon on its way."""

    verdict: Verdict | None = None
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


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
        found = _Findings(problems=problems + _id_problems(certificate, expected_id))
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
    )


def _guarded(release: Opened, owner: Path | None, found: _Findings, patient: bool) -> None:
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


def _check(release: Opened, owner: Path | None, found: _Findings, patient: bool) -> None:
    certificate = release.certificate
    assert certificate is not None
    promise, stated = certificate.the_promise(), certificate.verdict
    found.problems += verdict_problems(stated, promise, certificate.rows)
    wrong = column_problems(certificate) + promise_problems(promise)
    wrong += parameter_problems(certificate.method.name, certificate.method.parameters)
    if wrong:  # what follows rests on columns and parameters that are as they should be
        found.problems += wrong
        return
    wrong, said = statement_problems(certificate, promise)
    found.problems += wrong
    found.remarks += said
    data, roles = contents_of(release)
    wrong, told = noise_problems(certificate, data if isinstance(data, Document) else None)
    found.problems += wrong
    if isinstance(data, Document):
        _check_document(data, certificate, promise, owner, found)
    elif isinstance(data, Sketches):
        _check_sketches(data, certificate, promise, owner, found)
    else:
        _check_rows(release, data, roles, promise, owner, found, patient)
    if not isinstance(data, Document):
        name = data_file(certificate)
        wrong, more = bytes_problems(data, release.files[name], name, certificate.files[name].sha256)
        found.problems += wrong
        found.remarks += more
    found.remarks += evidence_remarks(certificate, with_owner=owner is not None) + told
    found.remarks += role_remarks(certificate, data if isinstance(data, (Table, Baskets)) else None, roles)


def _check_rows(
    release: Opened,
    data: Table | Baskets,
    roles: Roles | None,
    promise: Promise,
    owner: Path | None,
    found: _Findings,
    patient: bool,
) -> None:
    certificate = release.certificate
    assert certificate is not None
    by_person, problems = certificate.counted == "persons", found.problems
    if len(data) != certificate.rows:
        problems.append(f"The certificate states {certificate.rows} rows; the data has {len(data)}.")
    if not certificate.names("quasi"):
        problems.append("The certificate names no quasi-identifiers, so it promises nothing about anyone.")
    left = sorted(set(certificate.names("quasi")) - promise.about(certificate.names("quasi")))
    if left:
        problems.append(f"The promise says nothing about the quasi-identifiers {listing(left)}.")
    drawn = "proved" if promise.kind == "proved" else "recomputed"
    if certificate.verdict.kind != ("owner" if by_person or promise.needs_source else drawn):
        problems.append("The certificate states another kind of evidence than this promise has.")
    if len(data) != certificate.rows or not certificate.names("quasi"):
        return
    groups = groups_of(data, roles)
    if certificate.groups != GroupsRecord(**vars(groups)):
        problems.append("The groups of the data differ from what the certificate states about them.")
    if not patient and _pairs(data, roles, groups.groups) > _MOST_PAIRS:
        problems.append(
            f"The data has {groups.groups:,} different rows of items, which are compared pair by pair: that takes long."
            " Say that it may (patient, --patient)."
        )
        return
    persons = read_persons(owner, len(data)) if by_person and owner is not None else None
    verdict = _measured(certificate, promise, data, roles, persons, owner, found)
    if not verdict.holds:
        problems.append(verdict.sentence())
    record = None
    if isinstance(data, Table):
        labels = sum(column.levels for column in data.columns(certificate.names("quasi")))
        record = record_of(release, most_labels=labels + 1000)
    if record is not None and isinstance(data, Table):
        problems += record_problems(record, data, certificate.names("quasi"))
        found.remarks += record_remarks(record, promise)
    problems += change_problems(certificate, data, record)
    if isinstance(data, Table) and certificate.method.name == "private-table" and promise.kind == "proved":
        problems += domain_problems(data, certificate.method.parameters["domain"])
    found.verdict = verdict


def _pairs(data: Table | Baskets, roles: Roles | None, distinct: int) -> int:
    """How many words of items are compared when each different row is compared with each: none of other tables."""
    if isinstance(data, Table):
        if roles is None or not are_items(data, roles.quasi):
            return 0
        items = len(roles.quasi)
    else:
        items = len(data.names)
    return distinct**2 * -(-items // 64)


def _measured(
    certificate: Certificate,
    promise: Promise,
    data: Table | Baskets,
    roles: Roles | None,
    persons: np.ndarray | None,
    owner: Path | None,
    found: _Findings,
) -> Verdict:
    """The verdict on published rows, as far as the files and the owner's folder tell; what is stated is compared."""
    stated, by_person = certificate.verdict, certificate.counted == "persons"
    if promise.needs_source and owner is None:  # what was measured stays the owner's word
        if isinstance(data, Table) and roles is not None:
            found.problems += breach_problems(stated, promise, data, roles, persons=by_person)
        return stated.verdict()
    if by_person and owner is None:  # rows can refute the promise where they tell
        verdict = _by_rows(promise, data, roles)
        found.problems += person_problems(stated, VerdictRecord.of(verdict))
        return verdict
    source = read_source(owner) if promise.needs_source and owner is not None else None
    verdict = check_published(promise, data, roles, persons, source, noise_of(certificate, None))
    measured = VerdictRecord.of(verdict)
    if (measured.model_copy(update={"kind": "owner"}) if by_person else measured) != stated:
        found.problems.append(_DIFFERS)
    return verdict


def _check_document(
    document: Document, certificate: Certificate, promise: Promise, owner: Path | None, found: _Findings
) -> None:
    """What a document says is checked as far as it tells; the owner's rows tell the rest."""
    stated = certificate.verdict
    if document.columns != tuple((column.name, column.role, column.kind) for column in certificate.columns):
        raise DataError("The certificate names other columns than the document.")
    if certificate.rows:
        raise DataError(f"The certificate states {certificate.rows} rows; a document has none.")
    if document.content.get("counted", "rows") != certificate.counted:
        raise DataError("The document counts something else than the certificate.")
    if owner is not None and stated.kind == "owner":
        document = with_evidence(document, owner, by_person=certificate.counted == "persons")
    found.verdict = verdict = promise.check(document)
    if not verdict.holds:
        found.problems.append(verdict.sentence())
    if verdict.kind != stated.kind:
        found.problems.append("The certificate states another kind of evidence than this promise has.")
    told = verdict.kind != "owner" or owner is not None  # otherwise what was measured stays the owner's word
    if told and VerdictRecord.of(verdict) != stated:
        found.problems.append(_DIFFERS)
    if document.shape == "model":
        found.problems += model_problems(stated, promise, PublishedTree.of(document))
    found.problems += change_problems(certificate, None, None)


def _check_sketches(
    sketches: Sketches, certificate: Certificate, promise: Promise, owner: Path | None, found: _Findings
) -> None:
    """Sketches tell nothing about their promise: without the owner's folder what was measured is the owner's word."""
    stated = certificate.verdict
    if stated.kind != "owner" or not promise.needs_source or certificate.counted != "rows":
        raise DataError("The certificate states another kind of evidence than this promise has.")
    found.problems += bare_problems(stated) + change_problems(certificate, None, None)
    found.problems += sketch_problems(sketches, certificate.method.parameters)
    if owner is None:
        found.verdict = stated.verdict()
        return
    found.verdict = verdict = promise.check_with_source(sketches, None, read_records(sketches, owner)[0])
    if not verdict.holds:
        found.problems.append(verdict.sentence())
    if VerdictRecord.of(verdict) != stated:
        found.problems.append(_DIFFERS)


def _by_rows(promise: Promise, data: Table | Baskets, roles: Roles | None) -> Verdict:
    """The promise counted in rows, or those parts of it that rows can refute."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    telling = [part for part in parts if part.rows_tell]
    if not telling:
        raise DataError(
            "The promise was counted in persons, and rows tell nothing about it: only the owner can check it again"
            " (verify --owner)."
        )
    return check_published(telling[0] if len(telling) == 1 else Both(tuple(telling)), data, roles, None)


def check_published(
    promise: Promise,
    data: Content,
    roles: Roles | None,
    persons: np.ndarray | None,
    source: Table | Records | None = None,
    noise: Sequence[Noise] = (),
) -> Verdict:
    """The promise on published data, counted in persons when it is known whose row each row is.

    `source` are the owner's quasi-identifiers of the same rows, or the records behind sketches, for promises that
    compare with them; `noise` is what the rows were drawn with, for promises about that.
    """
    if isinstance(data, Document):
        return promise.check(data)
    if promise.kind == "proved":
        return promise.check(noise)
    if isinstance(data, Baskets):
        return promise.check(Baskets(data.matrix, data.names, data.labels, data.classes, persons=persons), None)
    if isinstance(data, Table) and persons is not None:
        assert roles is not None
        data = data.with_columns([encode(_PERSON, pa.array(persons), kind="number")])
        roles = Roles(
            target=roles.target,
            quasi=roles.quasi,
            sensitive=roles.sensitive,
            other=roles.other,
            person=_PERSON,
            allow_unique=roles.allow_unique,
        )
    return promise.check(data, roles) if source is None else promise.check_with_source(data, roles, source)
