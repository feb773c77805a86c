# SPDX-License-Identifier: Apache-2.0
"""People whose class follows their age, with chance, and a pipeline of scikit-learn that learns it from their cells."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import discreet as ds

ROLES = ds.Roles(target="y", quasi=["age", "sex"])


def people(n=120, seed=0, labels=("no", "yes")):
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 70, n), rng.choice(["f", "m"], n)
    old = (age > 45) ^ (rng.random(n) < 0.15)
    return pd.DataFrame({"age": age, "sex": sex, "y": np.array(labels)[old.astype(int)]})


def pipeline():
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
