# SPDX-License-Identifier: Apache-2.0
"""Run in anonymeter's environment: its attacks on a release.

Arguments: a folder with original.csv, release.csv and control.csv, and a JSON text with `numbers` (columns that hold
them), `parties` (two lists of columns), `secret` (a column), `attacks` and `attempts`. Prints rates and risks as JSON.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

warnings.simplefilter("ignore")
np.random.seed(0)  # noqa: NPY002  (pandas draws anonymeter's targets with it)
folder, asked = Path(sys.argv[1]), json.loads(sys.argv[2])


def read(name):
    frame = pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
    return frame.assign(**{number: pd.to_numeric(frame[number]) for number in asked["numbers"]})


def said(evaluator):
    """Rates as shares of the attempts that were made, and the risk with its interval."""
    results = evaluator.results()
    risk = results.risk()
    return {
        "attacks": results.n_attacks_ori,
        "success": results.attack_rate.value,
        "baseline": results.baseline_rate.value,
        "control": results.control_rate.value,
        "risk": [risk.value, *risk.ci],
    }


original, release, control = (read(name) for name in ("original", "release", "control"))
n = asked["attacks"]
tables = {"ori": original, "syn": release, "control": control}
singling = {"n_attacks": n, "seed": 0, "max_attempts": asked["attempts"]}
secret = asked["secret"]
known = [name for name in original.columns if name != secret]
attacks = {
    "one column": lambda: SinglingOutEvaluator(**tables, **singling).evaluate(mode="univariate"),
    "several columns": lambda: SinglingOutEvaluator(**tables, **singling, n_cols=4).evaluate(mode="multivariate"),
    "linkability": lambda: LinkabilityEvaluator(**tables, n_attacks=n, aux_cols=asked["parties"]).evaluate(n_jobs=1),
    "inference": lambda: InferenceEvaluator(**tables, aux_cols=known, secret=secret, n_attacks=n).evaluate(n_jobs=1),
}
found = {}
for name, make in attacks.items():
    started = time.process_time()
    try:
        found[name] = said(make())
    except Exception as error:  # an attack that finds no guess ends in one
        found[name] = {"failed": f"{type(error).__name__}"}
    found[name]["cpu"] = time.process_time() - started
print(json.dumps(found))
