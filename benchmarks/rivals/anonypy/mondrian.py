# SPDX-License-Identifier: Apache-2.0
"""Run in anonypy's environment: its Mondrian on a CSV file, from data frame to data frame.

Arguments: file, quasi-identifiers joined by commas, target, k, runs.
"""

import sys
from pathlib import Path

import anonypy
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))
from timed import timed

frame, quasi, target, k = pd.read_csv(sys.argv[1]), sys.argv[2].split(","), sys.argv[3], int(sys.argv[4])
for name in [*quasi, target]:
    if not pd.api.types.is_numeric_dtype(frame[name]):
        frame[name] = frame[name].astype("category")


def work():
    rows = anonypy.Preserver(frame, quasi, target).anonymize_k_anonymity(k)
    released = pd.DataFrame(rows)
    groups = released[quasi].astype(str).drop_duplicates()  # its cells are lists
    return {"groups": len(groups), "rows": int(released["count"].sum())}


timed(work, int(sys.argv[5]))
