# SPDX-License-Identifier: Apache-2.0
"""The form of the public edition's content, as a model and as a JSON schema, for programs that read it."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "public-report.schema.json"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CautionPart(_Part):
    """What the promise leaves open in this release."""

    key: str
    title: str
    text: str


class PolicyLinePart(_Part):
    """A limit of a policy, and whether the release keeps it."""

    key: str
    asked: str
    found: str
    passed: bool
    applies: bool


class PolicyPart(_Part):
    name: str
    passed: bool
    lines: list[PolicyLinePart]


class MarkPart(_Part):
    """A kind of mark in a column: its form, what it means, an example, and the share of rows that have one."""

    mark: str
    form: str
    means: str
    example: str
    example_means: str
    labels: int
    share: float = Field(ge=0, le=1)


class LabelPart(_Part):
    label: str | None
    meaning: str
    share: float = Field(ge=0, le=1)


class ColumnPart(_Part):
    """A column of the data dictionary."""

    name: str
    role: str
    kind: str
    written: str
    labels: int
    marks: list[MarkPart]
    spelt_out: list[LabelPart]


class PublicContent(_Part):
    """The content of the public edition; `certificate` is the published one, `risk` is that of the published rows.

    Its chances, `average` and `largest`, are null where the promise counts persons: they are of rows.
    """

    schema_: str = Field(alias="$schema")
    format: Literal[2]
    discreet: str
    edition: Literal["public"]
    id: str
    shape: Literal["table", "baskets", "sketches", "model", "names", "weights"]
    promise: str
    promise_in_words: str
    does_not_protect: str
    holds: bool
    evidence: str
    signer: str | None
    certificate_sha256: str
    certificate_bytes: int
    cautions: list[CautionPart]
    policy: PolicyPart | None
    remarks: list[str]
    rows: int
    columns: list[dict[str, Any]]
    certificate: dict[str, Any]
    risk: dict[str, Any] | None
    dictionary: list[ColumnPart]
    columns_drawn: list[dict[str, Any]]


def schema() -> str:
    """The JSON schema of the content."""
    document = {"title": "The public report of a release, by discreet"} | PublicContent.model_json_schema(by_alias=True)
    return json.dumps(document, indent=1) + "\n"
