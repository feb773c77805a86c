# SPDX-License-Identifier: Apache-2.0
"""Run in dpmm's environment: MST (McKenna and others, 2021). Arguments: see marginals.py."""

import sys
from pathlib import Path

from dpmm.models.mst import MSTGM

sys.path.insert(0, str(Path(__file__).parent.parent))
from marginals import synthesize

synthesize(MSTGM)
