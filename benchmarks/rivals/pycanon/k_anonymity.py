# SPDX-License-Identifier: Apache-2.0
"""Run in pycanon's environment: k of a CSV file. Arguments: file, quasi-identifiers joined by commas, runs."""

import sys
from pathlib import Path

import pandas as pd
from pycanon.anonymity import k_anonymity

sys.path.insert(0, str(Path(__file__).parent.parent))
from timed import timed

frame, quasi = pd.read_csv(sys.argv[1]), sys.argv[2].split(",")
timed(lambda: {"k": int(k_anonymity(frame, quasi))}, int(sys.argv[3]))
