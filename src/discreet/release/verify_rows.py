# SPDX-License-Identifier: Apache-2.0
"""Check published rows: recount groups, verdict, record and changes, and compare them with the certificate."""

from __future__ import annotations

from typing import Any, cast

from discreet.counting.row_counts import row_counts_of
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.privacy.promise import Both, Promise, Verdict
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.recoding.record import record_problems
from discreet.release.certificate import GroupsRecord, VerdictRecord
from discreet.release.losses import groups_of
from discreet.release.owner_evidence import persons_of, read_source
from discreet.release.verify_case import OTHER_EVIDENCE, CheckedRelease
from discreet.release.verify_folder import groups_of_items, record_of
from discreet.release.verify_noise import noise_of
from discreet.release.verify_recount import change_problems, domain_problems
from discreet.release.verify_remarks import group_remarks, record_remarks
from discreet.release.verify_verdicts import breach_problems, parts_problems, person_problems

_MOST_PAIRS = 10**8  # a few seconds


def check_rows(case: CheckedRelease) -> None:
    """Check everything that the certificate states about published rows."""
    certificate, content, quasi = case.certificate, case.content, case.certificate.names("quasi")
    if not _check_statement(case):
        return
    groups = groups_of(content, case.roles)
    if certificate.groups != GroupsRecord(**vars(groups)):
        case.add("The groups of the data differ from what the certificate states about them.")
    pairs = groups.groups**2 * -(-content.n_items(quasi) // 64)  # 64-bit words compared, all pairs of distinct rows
    if not case.patient and pairs > _MOST_PAIRS and case.promise.compares_rows:
        case.add(
            f"The data has {groups.groups:,} distinct rows of items, and comparing all pairs takes long. Allow it with"
            " patient=True (--patient)."
        )
        return
    by_person = certificate.counted == "persons"
    persons = persons_of(case.owner, content) if by_person and case.owner is not None else None
    case.judge(_measured(case, persons))
    case.add(*change_problems(certificate, content, _record(case)))
    if certificate.method.name == "private-table" and case.promise.kind == "proved":
        stated = certificate.method.parameters
        case.add(*domain_problems(content, stated["domain"], numbers=stated.get("numbers", False)))


def _check_statement(case: CheckedRelease) -> bool:
    """Check what is stated before counting anything; return whether there is something to count."""
    certificate, promise, rows = case.certificate, case.promise, case.content.n_rows
    quasi = certificate.names("quasi")
    if rows != certificate.rows:
        case.add(f"The certificate states {certificate.rows} rows; the data has {rows}.")
    if not quasi:
        case.add("The certificate names no quasi-identifiers, so it protects nobody.")
    uncovered = sorted(set(quasi) - promise.about(quasi))
    if uncovered:
        case.add(f"The promise says nothing about the quasi-identifiers {listing(uncovered)}.")
    by_owner = certificate.counted == "persons" or promise.needs_source
    if certificate.verdict.kind != ("owner" if by_owner else "proved" if promise.kind == "proved" else "recomputed"):
        case.add(OTHER_EVIDENCE)
    return rows == certificate.rows and bool(quasi)


def _measured(case: CheckedRelease, persons: Any) -> Verdict:
    """Measure the promise as far as the files and the owner's folder allow, and compare with the stated verdict."""
    certificate, promise, content, roles = case.certificate, case.promise, case.content, case.roles
    stated, by_person = certificate.verdict, certificate.counted == "persons"
    if promise.needs_source and case.owner is None:  # the measurement rests on the owner's word
        if roles is not None:
            case.add(*breach_problems(stated, promise, cast(Table, content), roles, persons=by_person))
        case.add(*parts_problems(stated, promise, content, roles, persons=by_person))
        return stated.verdict()
    if by_person and case.owner is None:  # counting rows can still refute the promise
        verdict = _rows_tell(promise).check_content(content, roles)
        case.add(*person_problems(stated, VerdictRecord.of(verdict)))
        return verdict
    source = read_source(case.owner) if promise.needs_source and case.owner is not None else None
    noise = noise_of(certificate, content)
    verdict = promise.check_content(content, roles, persons=persons, source=source, noise=noise)
    case.compare(VerdictRecord.of(verdict))
    return verdict


def _rows_tell(promise: Promise) -> Promise:
    """The promise, or the parts of it that counting rows can refute although persons were counted."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    telling = tuple(part for part in parts if part.rows_tell)
    if not telling:
        raise DataError(
            "The promise was counted in persons and cannot be checked on rows: only the owner can check it again"
            " (verify --owner)."
        )
    return telling[0] if len(telling) == 1 else Both(telling)


def _record(case: CheckedRelease) -> EachColumn | Boxes | None:
    """The recoding record of a table, compared with the data; None if there is none."""
    quasi = case.certificate.names("quasi")
    groups = groups_of_items(case.release)
    if groups is not None:
        case.add(*groups.problems(quasi))
        case.findings.remarks += group_remarks(groups)
        return None
    labels = sum(column.levels for column in case.content.value_columns(quasi))
    record = record_of(case.release, most_labels=labels + 1000)
    if record is not None:
        case.add(*record_problems(record, row_counts_of(case.content, quasi).distinct(quasi), quasi))
        case.findings.remarks += record_remarks(record, case.promise)
    return record
