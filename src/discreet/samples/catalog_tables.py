# SPDX-License-Identifier: Apache-2.0
"""Readers of the papers' tables: column names, kinds and roles, and what is odd about each file.

A class is always a category, also when it is written as a number. Every reader returns a Sample with data and roles;
`catalog.py` adds the rest and checks the figures.
"""

from __future__ import annotations

import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.column import Kind
from discreet.data.csv import read_csv
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.samples.builtin import SQUARES
from discreet.samples.catalog_files import data_file, delimited, lines, table_of_cells
from discreet.samples.sample import Sample, one_of

# -- Adult ------------------------------------------------------------------------------------------------------------

ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country",
)  # fmt: skip
ADULT_8 = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def adult(quasi: int = 8) -> Sample:
    """The 45,222 complete rows of both files."""
    both = pa.concat_tables([_adult_text("adult/adult.data.gz"), _adult_text("adult/adult.test.gz")])
    complete = np.ones(both.num_rows, dtype=bool)
    for name in both.column_names:
        complete &= pc.not_equal(both.column(name), "?").to_numpy()
    return Sample("adult", Table.of(both.filter(pa.array(complete))), _adult_roles("adult", quasi))


def adult_train(quasi: int = 8) -> Sample:
    """The 32,561 rows of adult.data, missing cells included."""
    return Sample("adult_train", Table.of(_adult_text("adult/adult.data.gz")), _adult_roles("adult_train", quasi))


def _adult_text(relative: str) -> pa.Table:
    table, _ = read_csv(data_file(relative), delimiter=",", names=(*ADULT, "income"))
    trimmed = {name: pc.utf8_trim_whitespace(table.column(name)) for name in table.column_names}
    trimmed["income"] = pc.utf8_rtrim(trimmed["income"], characters=".")  # adult.test ends its labels with a dot
    return pa.table(trimmed)


def _adult_roles(name: str, quasi: int) -> Roles:
    """With 8, the other six columns stay unpublished: education-num and relationship would give the hidden away."""
    one_of(name, "quasi", quasi, (8, 14))
    return Roles(target="income", quasi=ADULT_8 if quasi == 8 else ADULT)


def adult_arx() -> Sample:
    table = Table.of(data_file("adult_arx/adult.csv.gz"), delimiter=";")
    return Sample("adult_arx", table, Roles(target="salary-class", quasi=table.names[:-1]))


# -- German credit ----------------------------------------------------------------------------------------------------

GERMAN = (
    "checking-status", "duration", "credit-history", "purpose", "credit-amount", "savings", "employment-since",
    "installment-rate", "personal-status-sex", "other-debtors", "residence-since", "property", "age",
    "other-installment-plans", "housing", "existing-credits", "job", "dependents", "telephone", "foreign-worker",
)  # fmt: skip
GERMAN_9 = (
    "credit-history", "savings", "duration", "checking-status", "credit-amount", "purpose", "property",
    "installment-rate", "other-debtors",
)  # fmt: skip


def german(quasi: int = 9) -> Sample:
    """Nine quasi-identifiers as in the kACTUS-2 paper, the others published as they are; or all twenty."""
    one_of("german", "quasi", quasi, (9, 20))
    chosen = GERMAN_9 if quasi == 9 else GERMAN
    other = tuple(name for name in GERMAN if name not in chosen)
    table = delimited("german/german.data.gz", (*GERMAN, "risk"), categories=["risk"], separator=None)
    return Sample("german", table, Roles(target="risk", quasi=chosen, other=other))


def german_numeric() -> Sample:
    return _plain("german/german.data-numeric.gz", _numbered("a", 24), "risk", separator=None)


# -- Small tables with attributes and a class -------------------------------------------------------------------------


def _numbered(letter: str, n: int) -> tuple[str, ...]:
    return tuple(f"{letter}{j}" for j in range(1, n + 1))


def _plain(relative: str, attributes: tuple[str, ...], target: str, *, separator: str | None = ",") -> Sample:
    """Attributes, then the class; all attributes are quasi-identifiers, as the papers have it."""
    table = delimited(relative, (*attributes, target), categories=[target], separator=separator)
    return Sample("", table, Roles(target=target, quasi=attributes))


def tic_tac_toe() -> Sample:
    return _plain("tic_tac_toe/tic-tac-toe.data.gz", SQUARES, "class")


def sonar() -> Sample:
    return _plain("sonar/sonar.all-data.gz", _numbered("band", 60), "class")


def waveform21() -> Sample:
    """Line 43 has a TAB inside a number."""
    relative, names = "waveform/waveform.data.gz", _numbered("x", 21)
    rows = (line.replace("\t", "").split(",") for line in lines(relative))
    table = table_of_cells(rows, (*names, "class"), categories=["class"], where=relative)
    return Sample("waveform21", table, Roles(target="class", quasi=names))


def waveform40() -> Sample:
    return _plain("waveform/waveform-+noise.data.gz", _numbered("x", 40), "class")


GLASS = ("RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe")


def glass() -> Sample:
    table = delimited("glass/glass.data.gz", ("id", *GLASS, "type"), categories=["type"])
    return Sample("glass", table, Roles(target="type", quasi=GLASS, identifiers=("id",)))


NUCLEUS = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip
WDBC = (*(f"mean {m}" for m in NUCLEUS), *(f"{m} error" for m in NUCLEUS), *(f"worst {m}" for m in NUCLEUS))


def wdbc() -> Sample:
    table = delimited("wdbc/wdbc.data.gz", ("id", "diagnosis", *WDBC))
    return Sample("wdbc", table, Roles(target="diagnosis", quasi=WDBC, identifiers=("id",)))


# -- Patients ---------------------------------------------------------------------------------------------------------

PIMA = ("preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age")


def pima() -> Sample:
    """The number of pregnancies is sensitive, as in the paper on E(S)."""
    table = delimited("pima/pima-indians-diabetes.data.gz", (*PIMA, "class"), categories=["class"])
    return Sample("pima", table, Roles(target="class", quasi=PIMA[1:], sensitive=("preg",)))


ILPD = (
    "Age", "Gender", "Total_Bilirubin", "Direct_Bilirubin", "Alkaline_Phosphotase", "Alamine_Aminotransferase",
    "Aspartate_Aminotransferase", "Total_Proteins", "Albumin", "Albumin_Globulin_Ratio",
)  # fmt: skip


def ilpd() -> Sample:
    """The class, a liver disease, is what is to be hidden too."""
    table = delimited("ilpd/ilpd.csv.gz", (*ILPD, "Diagnosis"), categories=["Diagnosis"], skip=1)
    return Sample("ilpd", table, Roles(target="Diagnosis", quasi=ILPD, sensitive=("Diagnosis",)))


DIABETES_QUASI = (
    "race", "gender", "age", "weight", "admission_type_id", "discharge_disposition_id", "admission_source_id",
    "time_in_hospital", "payer_code", "medical_specialty",
)  # fmt: skip
DIABETES_SENSITIVE = ("diag_1", "diag_2", "diag_3")


def diabetes130() -> Sample:
    """Several encounters may belong to one patient, who is the person."""
    ids = ("admission_type_id", "discharge_disposition_id", "admission_source_id")
    codes: dict[str, Kind] = dict.fromkeys(ids, "category")  # numbers that stand for words
    table = Table.of(data_file("diabetes130/diabetic_data.csv.gz"), delimiter=",", kinds=codes)
    with_role = ("encounter_id", "patient_nbr", "readmitted", *DIABETES_QUASI, *DIABETES_SENSITIVE)
    roles = Roles(
        target="readmitted",
        quasi=DIABETES_QUASI,
        sensitive=DIABETES_SENSITIVE,
        identifiers=("encounter_id",),
        other=tuple(name for name in table.names if name not in with_role),
        person="patient_nbr",
    )
    return Sample("diabetes130", table, roles)


# -- Soybean ----------------------------------------------------------------------------------------------------------

SOYBEAN = (
    "date", "plant-stand", "precip", "temp", "hail", "crop-hist", "area-damaged", "severity", "seed-tmt", "germination",
    "plant-growth", "leaves", "leafspots-halo", "leafspots-marg", "leafspot-size", "leaf-shread", "leaf-malf",
    "leaf-mild", "stem", "lodging", "stem-cankers", "canker-lesion", "fruiting-bodies", "external-decay", "mycelium",
    "int-discolor", "sclerotia", "fruit-pods", "fruit-spots", "seed", "mold-growth", "seed-discolor", "seed-size",
    "shriveling", "roots",
)  # fmt: skip


def soybean() -> Sample:
    return _soybean("soybean/soybean-large.data.gz")


def soybean_test() -> Sample:
    return _soybean("soybean/soybean-large.test.gz")


def _soybean(relative: str) -> Sample:
    """The class stands first; the digits are names of categories."""
    table = delimited(relative, ("class", *SOYBEAN), categories=("class", *SOYBEAN), skip=1)
    return Sample("", table, Roles(target="class", quasi=SOYBEAN))


# -- Genes ------------------------------------------------------------------------------------------------------------


def lung_small() -> Sample:
    return _genes("lung/lung_small.mat")


def tox171() -> Sample:
    return _genes("lung/TOX-171.mat")


def matlab(relative: str) -> tuple[np.ndarray, np.ndarray]:
    """The matrix X and the labels Y of a MATLAB file, labels as text."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    path = data_file(relative)
    try:
        content = loadmat(str(path))
        return content["X"], content["Y"].ravel().astype(np.int64).astype(str)
    except (MatReadError, OSError, ValueError, TypeError, KeyError, zlib.error):
        raise DataError(f"{relative!r} is not a MATLAB file with X and Y. Replace it.") from None


def _genes(relative: str) -> Sample:
    values, labels = matlab(relative)
    names = _numbered("gene", values.shape[1])
    arrays = {name: pa.array(np.ascontiguousarray(values[:, j])) for j, name in enumerate(names)}
    table = Table.of(pa.table({**arrays, "class": pa.array(labels)}), kinds={"class": "category"})
    return Sample("", table, Roles(target="class", quasi=names))
