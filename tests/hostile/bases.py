# SPDX-License-Identifier: Apache-2.0
"""Real releases of every shape, saved: what hostile folders are made from."""

import warnings

import numpy as np

from discreet.release.signature import new_key
from instances import DOMAIN, INSTANCES, PERSON_ROLES, ROLES, baskets, people

QUASI_DOMAIN = {name: DOMAIN[name] for name in ROLES.quasi}
BASES = {  # name: instance, what it is given, format
    "mondrian": ("mondrian-median", "table", "csv"),
    "mondrian-parquet": ("mondrian-median", "table", "parquet"),
    "diverse": ("mondrian-diverse", "table", "csv"),
    "persons": ("mondrian-median", "persons", "csv"),
    "kactus2": ("kactus2", "table", "csv"),
    "swap": ("kactus2-swap", "table", "parquet"),
    "tds": ("tds", "table", "csv"),
    "ladder": ("tree-ladder", "table", "csv"),
    "items": ("greedy-hamdist", "table", "csv"),
    "flip": ("random-flip", "table", "parquet"),
    "baskets": ("greedy-hamdist", "baskets", "parquet"),
    "flip-baskets": ("random-flip", "baskets", "parquet"),
    "breach": ("breach-aware-floating", "table", "csv"),
    "delta-sketch": ("delta-sketch", "baskets", "parquet"),
    "variance-sketch": ("variance-sketch-delta", "baskets", "parquet"),
    "model": ("kadet", "table", "csv"),
    "model-class": ("kadet-public-class", "table", "csv"),
    "laplace": ("laplace-select", "baskets", "csv"),
    "exponential": ("exponential-select", "domain", "csv"),
    "strata": ("private-fwell", "matrix", "csv"),
    "ranks": ("private-fwell-ranks", "matrix", "csv"),
    "splits": ("private-fwell-splits", "matrix", "csv"),
    "blocks": ("private-fwell-blocks", "matrix", "csv"),
    "private": ("private-table", "table", "csv"),
    "private-delta": ("private-table-delta", "table", "parquet"),
    "signed": ("mondrian-median", "table", "csv"),
}
SEEDED = {"mondrian", "mondrian-parquet", "signed"}


def save_bases(folder):
    """A folder with all of them; each holds release/ and owner/."""
    new_key(folder / "keys")
    new_key(folder / "other-keys")
    for name, (instance, given, format) in BASES.items():
        k = 3 if "sketch" in name else 5
        release = _release(INSTANCES[instance].make(k, 7 if name in SEEDED else None), given)
        signed = {"sign_with": folder / "keys" / "discreet-private.pem"} if name == "signed" else {}
        release.save(folder / name, format=format, **signed)
    return folder


def _release(method, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if given == "domain":
            method.set_params(domain=QUASI_DOMAIN)
        if given in ("table", "persons", "domain"):
            return method.release(people(), PERSON_ROLES if given == "persons" else ROLES)
        X, y = baskets()
        return method.release(X.astype(np.float64) if given == "matrix" else X, y)
