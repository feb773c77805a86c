# SPDX-License-Identifier: Apache-2.0
"""Remarks for the reader of a valid release: what rests on the holder's word, and whom the roles leave unprotected."""

from __future__ import annotations

from numbers import Real

from discreet.counting.row_counts import count_unique, n_unique
from discreet.data.content import Content
from discreet.errors import listing, shown
from discreet.privacy.differential_privacy import private_part
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Both, Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.recoding.record import RECORD, unseen_values
from discreet.release.certificate import Certificate

_WEAK = {  # values from which a promise means little
    "differential privacy": {"epsilon": 10, "delta": 1e-3},
    "t-closeness": {"t": 0.9},
    "breach increase": {"alpha": 1.0},
}
_FEW = 20  # rows, below which nearly every column is unique
_NEARLY = 0.5  # share of rows with a unique value, above which a column is called nearly unique


def evidence_remarks(certificate: Certificate, *, with_owner: bool) -> list[str]:
    """Remarks on what rests on the holder's word."""
    promise = certificate.the_promise()
    remarks = weakness_remarks(promise)
    if private_part(promise) is not None:
        what = {"names": "Names", "weights": "Weights"}.get(certificate.shape, "Rows")
        remarks.append(
            "The noise rests on the holder's word: the statement about it was checked, but no file shows that it was"
            f" drawn. {what} without any noise would look the same."
        )
        if certificate.method.parameters.get("domain") is not None:
            remarks.append("That the stated domain was known without the rows rests on the holder's word, too.")
    if with_owner or certificate.verdict.kind != "owner":
        return remarks
    if not certificate.content_type.has_rows:
        remarks.append(
            "The published file was checked as far as it shows. The rows behind it were counted by the owner"
            " before saving (verify --owner repeats it)."
        )
    elif promise.needs_source:
        remarks.append(
            "The promise compares the published rows with data that only the owner has. The measurement rests on the"
            " owner's word; it was checked before saving (verify --owner repeats it)."
        )
    else:
        remarks.append(
            "The promise was counted in persons, whom the published files do not tell apart. It was recomputed on rows;"
            " the owner checked the count of persons before saving (verify --owner repeats it)."
        )
    return remarks


def role_remarks(certificate: Certificate, content: Content) -> list[str]:
    """Remarks on columns that are assumed unknown to outsiders, and on how unique they are."""
    outside = _outside(certificate)
    if not outside:
        return []
    many = len(outside) > 1
    remarks = separate_sets_remarks(certificate.the_promise())
    remarks += [
        f"{len(outside)} {'columns were' if many else 'column was'} declared unknown to outsiders:"
        f" {listing(outside)}. The promise does not protect against anyone who knows {'them' if many else 'it'}."
    ]
    return remarks + singled_out_remarks(certificate, content)


def _outside(certificate: Certificate) -> list[str]:
    """The published columns that the promise assumes unknown to outsiders."""
    promise = certificate.the_promise()
    if private_part(promise) is not None or getattr(promise, "public_class", False):  # they cover all columns alike
        return []
    return [column.name for column in certificate.columns if column.role != "quasi"]


def separate_sets_remarks(promise: Promise) -> list[str]:
    """Remark on promises about separate sets of columns, which are weaker than one about all of them."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    sets = sum(len(part.sets or ()) + (part.columns is not None) for part in parts if isinstance(part, KAnonymity))
    if not sets:
        return []
    return [
        f"The promise is about {sets} separate sets of quasi-identifiers: it does not protect against anyone who knows"
        " columns of several sets."
    ]


def weakness_remarks(promise: Promise) -> list[str]:
    """Remarks on promises that nearly every release keeps."""
    remarks = []
    for part in promise.promises if isinstance(promise, Both) else (promise,):
        weak = [
            f"{word} of {getattr(part, word):g}"
            for word, least in _WEAK.get(part.name, {}).items()
            if isinstance(getattr(part, word), Real) and getattr(part, word) >= least
        ]
        if weak:
            remarks.append(f"The promise asks for little: with {' and '.join(weak)} nearly every release keeps it.")
    return remarks


def singled_out_remarks(certificate: Certificate, content: Content) -> list[str]:
    """Remarks on columns, assumed unknown to outsiders, that tell nearly all rows apart."""
    rows, outside = content.n_rows, _outside(certificate)
    if not outside or rows < _FEW or not content.has_cells or content.rows_of_items() is not None:
        return []
    count_unique(content, outside)
    unique = {name: n_unique(content, [name]) for name in outside}
    remarks = [
        f"{shown(name)} singles people out: {single:,} of {rows:,} rows have a value there that no other row has."
        for name, single in unique.items()
        if single > _NEARLY * rows
    ]
    if len(outside) > 1 and not remarks:
        single = n_unique(content, outside)
        if single > _NEARLY * rows:
            remarks.append(f"Together {listing(outside)} are unique in {single:,} of {rows:,} rows.")
    return remarks


def record_remarks(record: EachColumn | Boxes, promise: Promise) -> list[str]:
    """Remark on values that the recoding record names although the data does not show them."""
    unseen = unseen_values(record)
    if not unseen or private_part(promise) is not None:  # then the values are those of a public domain
        return []
    values, each = ("1 value", "it") if unseen == 1 else (f"{unseen:,} values", "each of them")
    return [
        f"{RECORD} explains the labels and names {values} that the data does not show: that enough people have {each}"
        " rests on the holder's word."
    ]


def group_remarks(groups: GroupedItems) -> list[str]:
    """Remark on members of groups and scores that are not published by themselves."""
    if not groups.unseen and not groups.beginnings:
        return []
    begun = f", and {groups.beginnings:,} beginnings of items" if groups.beginnings else ""
    return [
        f"{RECORD} names {groups.unseen:,} items as members of groups or scores{begun}: that enough people have each of"
        " them, or that the groups were made without looking at the rows, rests on the holder's word."
    ]


def signer_remark(signer: str | None, expected: str | None) -> str:
    if signer is None:
        return "The certificate is not signed: this check detects accidents, not forgery."
    if expected is None:
        return f"Signed with the Ed25519 key {signer}; compare it with the key the holder gave you."
    if expected != signer:
        return f"Signed with a different Ed25519 key than required: {signer}."
    return "Signed with the required Ed25519 key."
