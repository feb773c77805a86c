# SPDX-License-Identifier: Apache-2.0
"""A study of seconds: a recipe of two methods, made-up patients in a file, and how they are read for it."""

from pathlib import Path

from discreet import samples
from discreet.data.dataset import Dataset
from discreet.study import load_dataset, recipe_from

RECIPE = """format = 1
attacks = "prosecutor"
[roles]
target = "readmitted"
quasi = ["age", "sex"]
[promises]
k = 5
[[methods]]
name = "mondrian"
[[methods]]
name = "tds"
[evaluation]
folds = "2-fold"
classifiers = "naive-bayes"
"""

ATTACKED = """format = 1
attacks = ["prosecutor", "homogeneity"]
[roles]
target = "readmitted"
quasi = ["age", "sex", "zip", "occupation"]
sensitive = ["diagnosis"]
"""  # how recipes with more to say begin


def written_clinic(folder: Path, rows: int, seed: int = 1) -> Path:
    path = folder / "clinic.csv"
    samples.load("clinic", rows=rows, random_state=seed).data.write(path, "csv")
    return path


def load(clinic: Path, text: str) -> Dataset:
    return load_dataset(str(clinic), recipe_from(text).model_dump_json())
