# SPDX-License-Identifier: Apache-2.0
"""Builds ARX from the source folder or jar that DISCREET_ARX, or the one argument, names."""

import sys

from benchmarks.rivals import AbsentError
from benchmarks.rivals.arx import build

try:
    path = build(*sys.argv[1:2])
except AbsentError as absent:
    sys.exit(str(absent))
print(f"ARX is built: {len(path) - 1} jars, classes in {path[0]}")
