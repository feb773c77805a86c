# SPDX-License-Identifier: Apache-2.0
"""Run in dpmm's environment: AIM (McKenna and others, 2022). Arguments: see marginals.py."""

import sys
from pathlib import Path

from dpmm.models.aim import AIMGM

sys.path.insert(0, str(Path(__file__).parent.parent))
from marginals import synthesize

synthesize(AIMGM)
