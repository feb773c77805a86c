# SPDX-License-Identifier: Apache-2.0
"""Real tables about people that are in no folder of this project: from collections that package registries carry.

Half of them may be looked at while a method is changed (`STUDY`). The others are held back (`HELD_BACK`): they are
measured when the change is done, and nothing is set by what they show. Which table is in which half, its target and its
quasi-identifiers were written down before anything was measured on it. Large ones are thinned; rows without a label are
left out. The collections are installed in an environment of their own (benchmarks/rivals/collections), and tables are
kept there as files, which git ignores.

Prints, for every table and k, what each method's release is worth, as `python -m benchmarks.frontier` does:

    python -m benchmarks.frontier.unseen study
    python -m benchmarks.frontier.unseen held-back
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import rivals
from benchmarks.frontier.tables import Data, Tables
from discreet import Roles, Table

_MOST_ROWS = 20_000
_LARGE, _SMALL = (5, 50, 500), (2, 5, 25)


def _loaded(name: str, target: str, quasi: tuple[str, ...]) -> Data:
    columns = _file_of(name).select([*quasi, target])
    labelled = columns.filter(columns.column(target).is_valid())
    if len(labelled) > _MOST_ROWS:
        labelled = labelled.take(np.sort(np.random.default_rng(0).permutation(len(labelled))[:_MOST_ROWS]))
    place = labelled.schema.get_field_index(target)
    label = pa.array([str(cell) for cell in labelled.column(target).to_pylist()])
    return Table.of(labelled.set_column(place, target, label)), Roles(target=target, quasi=quasi)


def _file_of(name: str) -> pa.Table:
    """The table, which is written once."""
    path = rivals.HERE / "collections" / "venv" / f"{name.replace('/', '-')}.parquet"
    if not path.exists():
        rivals.run("collections", "write.py", name, path)
    return pq.read_table(path)


def _table(
    name: str, target: str, quasi: str, ks: tuple[int, ...] = _LARGE
) -> tuple[Callable[[], Data], tuple[int, ...]]:
    return partial(_loaded, name, target, tuple(quasi.split())), ks


STUDY: Tables = {
    "crashes": _table("DAAG/nassCDS", "dead", "dvcat airbag seatbelt frontal sex ageOFocc yearacc yearVeh occRole"),
    "insured": _table(
        "AER/HealthInsurance",
        "insurance",
        "health age limit gender married selfemp family region ethnicity education",
    ),
    "credit": _table(
        "modeldata/credit_data", "Status", "Seniority Home Age Marital Records Job Expenses Income Assets"
    ),
    "plebiscite": _table("carData/Chile", "vote", "region population sex age education income statusquo", _SMALL),
    "election": _table(
        "stevedata/TV16", "votetrump", "state age female collegeed racef famincr ideo bornagain religimp"
    ),
    "light_chain": _table("survival/flchain", "death", "age sex sample.yr kappa lambda creatinine mgus"),
    "attrition": _table(
        "modeldata/attrition",
        "Attrition",
        "Age BusinessTravel DistanceFromHome Education Gender JobRole MaritalStatus MonthlyIncome"
        " OverTime TotalWorkingYears",
        _SMALL,
    ),
    "telephone": _table(
        "modeldata/wa_churn",
        "churn",
        "female senior_citizen partner dependents tenure internet_service contract payment_method monthly_charges",
    ),
    "happiness": _table(
        "wooldridge/happiness", "happy", "year workstat prestige educ income region attend black female"
    ),
    "contraception": _table("keel/contraceptive", "c9", "c0 c1 c2 c3 c4 c5 c6 c7 c8", _SMALL),
    "smokers": _table(
        "openintro/smoking",
        "smoke",
        "gender age marital_status highest_qualification nationality ethnicity gross_income region",
        _SMALL,
    ),
    "pension": _table("wooldridge/k401ksubs", "e401k", "inc marr male age fsize nettfa"),
}

HELD_BACK: Tables = {
    "part_time": _table("AER/CPS1988", "parttime", "wage education experience ethnicity smsa region"),
    "loans": _table(
        "modeldata/lending_club",
        "Class",
        "funded_amnt term int_rate addr_state verification_status annual_inc emp_length revol_util all_util",
    ),
    "heart_attack": _table(
        "DAAG/monica", "outcome", "sex age yronset premi smstat diabetes highbp hichol angina stroke hosp"
    ),
    "poverty": _table("carData/WVS", "poverty", "religion degree country age gender"),
    "abortion": _table("stevedata/gss_abortion", "abany", "year age race sex educ partyid"),
    "health_interview": _table("stevedata/mm_nhis", "hi", "fml hlth nwhite age yedu famsize empl inc"),
    "mortgage": _table(
        "AER/HMDA", "deny", "pirat hirat lvrat chist mhist phist unemp selfemp condomin afam single", _SMALL
    ),
    "mobile": _table(
        "modeldata/mlc_churn",
        "churn",
        "state account_length area_code international_plan voice_mail_plan total_day_minutes total_intl_calls"
        " number_customer_service_calls",
    ),
    "arrests": _table("carData/Arrests", "released", "colour year age sex employed citizen checks"),
    "households": _table("keel/marketing", "c13", "c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12"),
    "mothers": _table("wooldridge/labsup", "worked", "kids boy1st boy2nd age agefstm black hispan educ nonmomi"),
    "stops": _table("carData/MplsStops", "problem", "MDC race gender lat long policePrecinct neighborhood"),
}
HALVES = {"study": STUDY, "held-back": HELD_BACK}
KEPT = Path(__file__).parent / "measured_unseen"


def main() -> None:
    from benchmarks.frontier.__main__ import add_options, print_study

    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier.unseen", description=__doc__)
    options.add_argument("half", choices=[*HALVES])
    add_options(options, [*STUDY, *HELD_BACK], KEPT)
    asked = options.parse_args()
    print_study(asked, HALVES[asked.half])


if __name__ == "__main__":
    main()
