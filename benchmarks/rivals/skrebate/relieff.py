# SPDX-License-Identifier: Apache-2.0
"""Run in skrebate's environment: ReliefF on the arrays X and y of an NPZ file. Arguments: file, runs.

One neighbour of each kind is asked for, as FWELL has; ten would not be quicker.
"""

import sys
from pathlib import Path

import numpy as np
from skrebate import ReliefF

sys.path.insert(0, str(Path(__file__).parent.parent))
from timed import timed

with np.load(sys.argv[1]) as arrays:
    X, y = arrays["X"], arrays["y"]
timed(
    lambda: {"heaviest": int(ReliefF(n_neighbors=1, n_jobs=1).fit(X, y).feature_importances_.argmax())},
    int(sys.argv[2]),
)
