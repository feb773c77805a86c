# SPDX-License-Identifier: Apache-2.0
"""Re-checks a saved release from its files. Knows promises, no method.

What it finds wrong it lists; a release holds only when nothing is wrong: the certificate is whole, the folder holds
the files it names and no others, their hashes agree, the promise holds on the data as read back, the measurement is the
one that was certified, and the record of the recoding, where there is one, has no labels but those of the data.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.certificate import CERTIFICATE, Certificate, GroupsRecord, VerdictRecord, sha256_of
from discreet.data.baskets import Baskets
from discreet.data.column import Kind, encode
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.data.write import read_baskets, read_table
from discreet.document import SHAPES, Document, read_document
from discreet.errors import DataError, DiscreetError, PromiseBroken, listing, quietly, shown
from discreet.losses import groups_of
from discreet.privacy.base import Both, Promise, Verdict
from discreet.privacy.noise import Noise, from_statement
from discreet.recoding import RECORD, from_bytes, record_problems
from discreet.signature import SIGNATURE, check_signature
from discreet.signs import KEY_FILE, Signs, read_key
from discreet.sketches import Sketches, sketch

PERSONS = "persons.parquet"  # in the owner's folder: whose row each released row is
EVIDENCE = "evidence.parquet"  # in the owner's folder: the rows behind a document, or behind published rows
Content = Table | Baskets | Document | Sketches
_PERSON = "\x00person"  # a column name no file can have


@dataclass(frozen=True)
class Verification:
    """What verifying found. `problems` is empty exactly when `holds`."""

    holds: bool
    verdict: Verdict | None
    certificate: Certificate | None
    problems: tuple[str, ...] = ()
    signer: str | None = None
    remarks: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.holds

    def sentence(self) -> str:
        """What was found, in words."""
        found = self.verdict.sentence() if self.holds and self.verdict is not None else " ".join(self.problems)
        return f"{'Verified' if self.holds else 'Not verified'}. {found} {' '.join(self.remarks)}".strip()

    __str__ = sentence


def verify(
    folder: str | os.PathLike, *, owner: str | os.PathLike | None = None, public_key: str | os.PathLike | None = None
) -> Verification:
    """Check a release folder. `owner` adds the owner's folder, for what only the private side can recompute;
    `public_key` asks for a signature by that key.
    """
    folder = Path(folder)
    certificate, problems = _certified(folder)
    if certificate is None:
        return Verification(False, None, None, tuple(problems))
    signer: str | None = None
    verdict: Verdict | None = None
    if not problems:  # data whose hash differs is not the data that was certified
        signer, problems = _signer(folder, public_key)
        try:
            verdict, found = _check(folder, certificate, owner)
            problems += found
        except DiscreetError as error:
            problems.append(str(error))
        except Exception as error:  # whatever a made-up certificate leads to, it is not verified
            problems.append(f"The release cannot be checked ({type(error).__name__}).")
    return Verification(
        not problems, verdict, certificate, tuple(problems), signer, _remarks(certificate, signer, owner is not None)
    )


def open_release(folder: str | os.PathLike) -> tuple[Certificate, Content, Roles | None]:
    """The certificate, the data and the roles of a folder whose files are those that were certified, and no others.

    Whether the promise holds on them is another question: `verify` answers it, and attacks do.
    """
    folder = Path(folder)
    certificate, problems = _certified(folder)
    problems = problems or _signer(folder, None)[1]
    if certificate is None or problems:
        found = " ".join(problems)
        raise PromiseBroken(f"{shown(folder.name)} is not as it was certified. {found} Get it anew from its holder.")
    return certificate, *read_release(folder, certificate)


def _certified(folder: Path) -> tuple[Certificate | None, list[str]]:
    """What is promised, and what is wrong with the files that it is promised of."""
    if not folder.is_dir():
        raise DataError(f"There is no release folder {folder.name!r}. Pass the folder that holds {CERTIFICATE}.")
    try:
        certificate = Certificate.read(folder)
    except DataError as error:
        return None, [str(error)]
    return certificate, _file_problems(folder, certificate)


def _file_problems(folder: Path, certificate: Certificate) -> list[str]:
    problems = []
    if certificate.seal != certificate.computed_seal():
        problems.append(f"{CERTIFICATE} was changed after it was sealed.")
    expected = {*certificate.files, CERTIFICATE}
    entries = {entry.name: entry.is_file(follow_symlinks=False) for entry in os.scandir(folder)}
    extra = sum(name not in expected | {SIGNATURE} or not is_file for name, is_file in entries.items())
    if extra:
        problems.append(f"{extra} entries in the folder are not files that the certificate names.")
    found = {name for name, is_file in entries.items() if is_file}
    if expected - found:
        problems.append(f"Files that the certificate names are not there: {listing(sorted(expected - found))}.")
    changed = [
        name for name, digest in certificate.files.items() if name in found and sha256_of(folder / name) != digest
    ]
    if changed:
        problems.append(f"Files were changed after they were certified: {listing(sorted(changed))}.")
    n_data = len(_data_files(certificate))
    if n_data != 1:
        problems.append(f"The certificate names {n_data} data files; a release has one.")
    return problems


def _data_files(certificate: Certificate) -> list[str]:
    return [name for name in certificate.files if name != RECORD]


def _signer(folder: Path, public_key: str | os.PathLike | None) -> tuple[str | None, list[str]]:
    path = folder / SIGNATURE
    if not path.exists():
        return None, ["A signature was asked for; the release has none."] if public_key is not None else []
    try:
        message = (folder / CERTIFICATE).read_bytes()
        return check_signature(message, path.read_bytes(), None if public_key is None else Path(public_key)), []
    except DataError as error:
        return None, [str(error)]


def _check(folder: Path, certificate: Certificate, owner: str | os.PathLike | None) -> tuple[Verdict, list[str]]:
    data, roles = read_release(folder, certificate)
    if isinstance(data, Document):
        return _check_document(data, certificate, owner)
    if isinstance(data, Sketches):
        return _check_sketches(data, certificate, owner)
    problems = []
    if len(data) != certificate.rows or not len(data):
        problems.append(f"The certificate states {certificate.rows} rows; the data has {len(data)}.")
    if not certificate.names("quasi"):
        problems.append("The certificate names no quasi-identifiers, so it promises nothing about anyone.")
    if not certificate.verdict.holds:
        problems.append("The certificate itself states that the promise does not hold.")
    promise, by_person = certificate.the_promise(), certificate.counted == "persons"
    left = sorted(set(certificate.names("quasi")) - promise.about(certificate.names("quasi")))
    if left:
        problems.append(f"The promise says nothing about the quasi-identifiers {listing(left)}.")
    drawn = "proved" if promise.kind == "proved" else "recomputed"
    if certificate.verdict.kind != ("owner" if by_person or promise.needs_source else drawn):
        problems.append("The certificate states another kind of evidence than this promise has.")
    if problems:
        raise DataError(" ".join(problems))
    if promise.needs_source and owner is None:  # what was measured stays the owner's word
        verdict, stated = certificate.verdict.verdict(), certificate.verdict
        if verdict.promise != str(promise):
            problems.append("The certificate's verdict is about another promise.")
    elif promise.needs_source:
        assert owner is not None
        persons = read_persons(Path(owner), len(data)) if by_person else None
        verdict = check_published(promise, data, roles, persons, read_source(Path(owner)))
        stated = VerdictRecord.of(verdict)
    elif not by_person:
        noise = () if certificate.noise is None else from_statement(certificate.noise)
        verdict = check_published(promise, data, roles, None, noise=noise)
        stated = VerdictRecord.of(verdict)
    elif owner is not None:
        verdict = check_published(promise, data, roles, read_persons(Path(owner), len(data)))
        stated = VerdictRecord.of(verdict).model_copy(update={"kind": "owner"})
    else:  # rows can refute the promise where they tell; the count of persons stays the owner's word
        verdict, stated = _by_rows(promise, data, roles), certificate.verdict
    if not verdict.holds:
        problems.append(verdict.sentence())
    if stated != certificate.verdict:
        problems.append("What is measured now differs from what the certificate states.")
    if certificate.groups is not None and certificate.groups != GroupsRecord(**vars(groups_of(data, roles))):
        problems.append("The groups of the data differ from what the certificate states about them.")
    return verdict, problems + _record_problems(folder, certificate, data)


def _record_problems(folder: Path, certificate: Certificate, data: Table | Baskets) -> list[str]:
    if RECORD not in certificate.files:
        return []
    if not isinstance(data, Table):
        return [f"Baskets have no {RECORD}."]
    return record_problems(from_bytes((folder / RECORD).read_bytes()), data, certificate.names("quasi"))


def _check_document(
    document: Document, certificate: Certificate, owner: str | os.PathLike | None
) -> tuple[Verdict, list[str]]:
    """What a document says is checked as far as it tells; the owner's rows tell the rest."""
    stated = certificate.verdict
    if document.columns != tuple((column.name, column.role, column.kind) for column in certificate.columns):
        raise DataError("The certificate names other columns than the document.")
    if certificate.rows:
        raise DataError(f"The certificate states {certificate.rows} rows; a document has none.")
    if not stated.holds:
        raise DataError("The certificate itself states that the promise does not hold.")
    if owner is not None and stated.kind == "owner":
        document = _with_evidence(document, Path(owner), by_person=certificate.counted == "persons")
    verdict = certificate.the_promise().check(document)
    problems = [] if verdict.holds else [verdict.sentence()]
    if verdict.kind != stated.kind:
        problems.append("The certificate states another kind of evidence than this promise has.")
    told = verdict.kind != "owner" or owner is not None  # otherwise what was measured stays the owner's word
    if told and VerdictRecord.of(verdict) != stated:
        problems.append("What is measured now differs from what the certificate states.")
    return verdict, problems


def _check_sketches(
    sketches: Sketches, certificate: Certificate, owner: str | os.PathLike | None
) -> tuple[Verdict, list[str]]:
    """Sketches tell nothing about their promise: without the owner's folder what was measured is the owner's word."""
    stated, promise = certificate.verdict, certificate.the_promise()
    if len(sketches) != certificate.rows or not len(sketches):
        raise DataError(f"The certificate states {certificate.rows} rows; the data has {len(sketches)}.")
    if not stated.holds:
        raise DataError("The certificate itself states that the promise does not hold.")
    if stated.kind != "owner" or not promise.needs_source or certificate.counted != "rows":
        raise DataError("The certificate states another kind of evidence than this promise has.")
    if stated.promise != str(promise):
        raise DataError("The certificate's verdict is about another promise.")
    if owner is None:
        return stated.verdict(), []
    verdict = promise.check_with_source(sketches, None, read_records(sketches, Path(owner))[0])
    problems = [] if verdict.holds else [verdict.sentence()]
    if VerdictRecord.of(verdict) != stated:
        problems.append("What is measured now differs from what the certificate states.")
    return verdict, problems


def _with_evidence(document: Document, owner: Path, *, by_person: bool) -> Document:
    kinds = {name: kind for name, _, kind in document.columns}
    evidence = read_table(owner / EVIDENCE, kinds)  # type: ignore[arg-type]
    return document.with_evidence(evidence, read_persons(owner, len(evidence)) if by_person else None)


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


def read_release(folder: Path, certificate: Certificate) -> tuple[Content, Roles | None]:
    """The published data and the roles of its columns."""
    (name,) = _data_files(certificate)
    if certificate.shape in SHAPES:
        return read_document(folder / name, certificate.shape), None
    if certificate.shape == "baskets":
        return read_baskets(folder / name, certificate.names("quasi")), None
    if certificate.shape == "sketches":
        sketches = Sketches.read(folder / name)
        if sketches.columns != tuple(column.name for column in certificate.columns):
            raise DataError("The certificate names other columns than the sketches have.")
        return sketches, None
    kinds = {column.name: column.kind for column in certificate.columns}
    target = certificate.names("target")
    roles = Roles(
        target=target[0] if target else None,
        quasi=certificate.names("quasi"),
        sensitive=certificate.names("sensitive"),
        other=certificate.names("other"),
        allow_unique=certificate.names("other") + certificate.names("sensitive") + target,
    )
    return read_table(folder / name, kinds), roles  # type: ignore[arg-type]


def read_source(owner: Path) -> Table:
    """The owner's quasi-identifiers of the published rows; a file of the owner's states no kinds but by its types."""
    try:
        schema = pq.read_schema(owner / EVIDENCE)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"The owner's folder has no readable {EVIDENCE} ({type(error).__name__}).") from None
    return read_table(owner / EVIDENCE, {field.name: _kind_of(field.type) for field in schema})


def read_records(sketches: Sketches, owner: Path) -> tuple[Records, Signs]:
    """The owner's records and signs, once it is clear that the published sketches are made of them."""
    signs, names = read_key(owner / KEY_FILE)
    records = Records.read(owner / EVIDENCE, names)
    if len(records) != len(sketches):
        raise DataError(f"The owner's {EVIDENCE} has {len(records)} records, the release {len(sketches)} sketches.")
    again = sketch(records, signs, sketches.counts)
    if not np.array_equal(again.values, sketches.values):
        raise DataError("The published sketches are not those of the owner's records with the owner's key.")
    return records, signs


def _kind_of(type_: pa.DataType) -> Kind:
    if pa.types.is_temporal(type_):
        return "date"
    return "number" if pa.types.is_integer(type_) or pa.types.is_floating(type_) else "category"


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


def read_persons(owner: Path, rows: int) -> np.ndarray:
    try:
        persons = pq.read_table(owner / PERSONS).column("person").to_numpy()
        persons = np.unique(persons, return_inverse=True)[1]
    except (OSError, KeyError, TypeError, pa.ArrowException):
        raise DataError(f"The owner's folder has no readable {PERSONS}.") from None
    if len(persons) != rows:
        raise DataError(f"The owner's {PERSONS} has {len(persons)} rows, the release {rows}.")
    return persons


def _remarks(certificate: Certificate, signer: str | None, with_owner: bool) -> tuple[str, ...]:
    remarks = []
    if signer is None:
        remarks.append("The certificate is not signed: this check detects accidents, not a forger.")
    else:
        remarks.append(f"Signed with the Ed25519 key {signer[:16]}...; compare it with the key the holder gave you.")
    if certificate.shape in SHAPES:
        if certificate.verdict.kind == "owner" and not with_owner:
            remarks.append(
                "The published file was checked for what it states. The rows behind it were counted by the owner"
                " before saving (verify --owner repeats it)."
            )
    elif _needs_source(certificate):
        if not with_owner:
            remarks.append(
                "The promise compares the published rows with what only the owner has. What was measured is the owner's"
                " word here; it was checked before saving (verify --owner repeats it)."
            )
    elif certificate.counted == "persons" and not with_owner:
        remarks.append(
            "The promise was counted in persons, which the published files do not tell apart. Recomputed here on rows;"
            " the count of persons was checked by the owner before saving (verify --owner repeats it)."
        )
    return tuple(remarks)


def _needs_source(certificate: Certificate) -> bool:
    promise, failure = quietly(certificate.the_promise, errors=(DiscreetError,))
    return not failure and promise.needs_source
