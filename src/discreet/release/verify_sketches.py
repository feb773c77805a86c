# SPDX-License-Identifier: Apache-2.0
"""Check published sketches. Their promise can be measured with the owner's folder only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from discreet.errors import DataError
from discreet.release.certificate import VerdictRecord
from discreet.release.owner_evidence import read_records
from discreet.release.verify_case import OTHER_EVIDENCE, CheckedRelease
from discreet.release.verify_recount import no_change_problems
from discreet.release.verify_verdicts import bare_problems
from discreet.sketching.sketches import Sketches


def check_sketches(case: CheckedRelease) -> None:
    """Check what the certificate states about sketches and, with the owner's folder, their promise."""
    certificate, sketches = case.certificate, cast(Sketches, case.content)
    stated = certificate.verdict
    if stated.kind != "owner" or not case.promise.needs_source or certificate.counted != "rows":
        raise DataError(OTHER_EVIDENCE)
    case.add(*bare_problems(stated), *no_change_problems(certificate))
    case.add(*_component_problems(sketches, certificate.method.parameters))
    if case.owner is None:
        case.findings.verdict = stated.verdict()
        return
    verdict = case.promise.check_with_source(sketches, None, read_records(sketches, case.owner)[0])
    case.judge(verdict)
    case.compare(VerdictRecord.of(verdict))


def _component_problems(sketches: Sketches, parameters: Mapping[str, Any]) -> list[str]:
    """Compare the numbers of components with what the parameters allow."""
    most = parameters.get("max_components")
    if most is None:
        return []
    if len(sketches) and (int(sketches.counts.max()) > most or int(sketches.counts.min()) < 1):
        return [f"The parameters allow 1 to {most} components; some sketches have fewer or more."]
    classes = parameters.get("count_classes")
    if isinstance(classes, list) and not np.isin(sketches.counts, classes).all():
        return ["Some sketches have a number of components that is none of the stated classes."]
    return []
