# SPDX-License-Identifier: Apache-2.0
"""Check a certificate without its data: whether its statements fit each other and the promise."""

from __future__ import annotations

import re

from discreet._version import __version__
from discreet.errors import shown
from discreet.privacy.promise import Promise, current_names
from discreet.release.certificate import Certificate
from discreet.release.verify_parameters import PARAMETERS
from discreet.release.verify_promise import other_promise


def statement_problems(certificate: Certificate, promise: Promise) -> tuple[list[str], list[str]]:
    """Problems of a certificate that show before any data is read, and remarks for the reader."""
    problems: list[str] = []
    remarks: list[str] = []
    if certificate.method.name in PARAMETERS:
        method = certificate.method
        problems += other_promise(method.name, certificate.shape, method.parameters, promise)
    else:
        remarks.append(
            f"The method {shown(certificate.method.name)} is not known here, so its parameters were not checked."
        )
    if not re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", certificate.discreet):
        problems.append("The certificate does not state a version of discreet.")
    if promise.to_dict() != _plain_promise(certificate.promise):
        problems.append("The certificate does not state the promise the way discreet does.")
    if certificate.does_not_protect != promise.does_not_protect:
        if certificate.discreet == __version__ or len(certificate.does_not_protect) > 2000:
            problems.append("The certificate misstates what the promise does not protect.")
        else:
            remarks.append(
                "The certificate was written by another version of discreet, which worded what the promise does not"
                f" protect differently. This version says: {promise.does_not_protect}"
            )
    if (certificate.groups is not None) != certificate.content_type.has_cells:
        problems.append(
            "The certificate states groups of rows for a release without them, or none for a release with them."
        )
    if certificate.counted == "persons" and certificate.verdict.kind != "owner":
        problems.append("The certificate states the wrong kind of evidence for this promise.")
    return problems, remarks


def _plain_promise(value: object) -> object:
    """The promise as `to_dict` gives it, with tuples in place of JSON lists."""
    if isinstance(value, dict):
        return {name: _plain_promise(value) for name, value in current_names(value).items()}
    if isinstance(value, list):
        plain = [_plain_promise(value) for value in value]
        return plain if any(isinstance(value, dict) for value in plain) else tuple(plain)
    return value
