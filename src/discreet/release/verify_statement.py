# SPDX-License-Identifier: Apache-2.0
"""A certificate by itself: whether its words fit each other and the promise, without any data."""

from __future__ import annotations

import re

from discreet._version import __version__
from discreet.errors import shown
from discreet.privacy.promise import Promise, current_names
from discreet.release.certificate import Certificate
from discreet.release.verify_parameters import PARAMETERS, other_promise


def statement_problems(certificate: Certificate, promise: Promise) -> tuple[list[str], list[str]]:
    """What is wrong with a certificate before any data is read, and what a reader should know about it."""
    problems: list[str] = []
    remarks: list[str] = []
    if certificate.method.name in PARAMETERS:
        method = certificate.method
        problems += other_promise(method.name, certificate.shape, method.parameters, promise)
    else:
        remarks.append(
            f"The method {shown(certificate.method.name)} is not known here: of its parameters nothing was compared."
        )
    if not re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", certificate.discreet):
        problems.append("The certificate does not state a version of discreet.")
    if promise.to_dict() != _plain_promise(certificate.promise):
        problems.append("The certificate states the promise in other words than discreet does.")
    if certificate.does_not_protect != promise.does_not_protect:
        if certificate.discreet == __version__ or len(certificate.does_not_protect) > 2000:
            problems.append("The certificate says something else about what the promise does not protect.")
        else:
            remarks.append(
                "The certificate, of another version of discreet, says in other words what the promise does not"
                f" protect. This version says: {promise.does_not_protect}"
            )
    if (certificate.groups is not None) != certificate.content_type.has_cells:
        problems.append("The certificate states groups of rows where there are none, or none where there are.")
    if certificate.counted == "persons" and certificate.verdict.kind != "owner":
        problems.append("The certificate states another kind of evidence than this promise has.")
    return problems, remarks


def _plain_promise(stated: object) -> object:
    """As `to_dict` gives it: lists were tuples."""
    if isinstance(stated, dict):
        return {name: _plain_promise(value) for name, value in current_names(stated).items()}
    if isinstance(stated, list):
        plain = [_plain_promise(value) for value in stated]
        return plain if any(isinstance(value, dict) for value in plain) else tuple(plain)
    return stated
