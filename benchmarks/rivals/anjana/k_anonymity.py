# SPDX-License-Identifier: Apache-2.0
"""Run in anjana's environment: k-anonymity of a CSV file by full-domain generalisation and suppression.

Arguments: file, folder of hierarchies (adult_hierarchy_<column>.csv), quasi-identifiers joined by commas, k, percent of
the rows that may be suppressed, runs.
"""

import contextlib
import io
import sys
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity

sys.path.insert(0, str(Path(__file__).parent.parent))
from timed import timed

frame, folder, quasi = pd.read_csv(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].split(",")
k, percent = int(sys.argv[4]), float(sys.argv[5])
hierarchies = {name: dict(pd.read_csv(folder / f"adult_hierarchy_{name}.csv", sep=";", header=None)) for name in quasi}


def work():
    with contextlib.redirect_stdout(io.StringIO()):
        released = k_anonymity(frame.copy(), [], quasi, k, percent, hierarchies)
    return {"rows": len(released), "of": len(frame)}


timed(work, int(sys.argv[6]))
