# SPDX-License-Identifier: Apache-2.0
"""Verifying a small release loads no learner and no kernel, but for those that count supersets of baskets."""

import json
import subprocess
import sys

import pytest

from discreet import GreedySelector, KAdet, LaplaceSelector, Mondrian
from instances import ROLES, baskets, people

SCRIPT = """
import json, sys
from discreet import verify

assert verify({folder!r}).holds
from discreet.foundation.compiled_kernels import Kernel

modules = [(name, module) for name, module in sys.modules.items() if name.startswith("discreet")]
kernels = {{value.__qualname__ for _, module in modules for value in vars(module).values()
            if isinstance(value, Kernel) and value._dispatcher}}
print(json.dumps({{"modules": sorted(sys.modules), "kernels": sorted(kernels)}}))
"""


def loaded_by_verifying(folder):
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(folder=str(folder))], capture_output=True, check=True)
    found = json.loads(done.stdout)
    return found["modules"], found["kernels"]


@pytest.mark.parametrize(
    "release",
    [
        lambda: Mondrian(5).release(people(), ROLES),
        lambda: KAdet(5).release(people(), ROLES),
        lambda: LaplaceSelector(1.0, n_features=2).release(*baskets()),
    ],
    ids=["table", "model", "names"],
)
def test_verifying_loads_no_learner_and_no_kernel(release, tmp_path):
    modules, used = loaded_by_verifying(release().save(tmp_path / "out") / "release")
    assert "discreet.release.verify" in modules
    assert not [name for name in modules if name.startswith(("sklearn", "discreet.learning", "discreet.methods"))]
    assert "numba" not in modules
    assert not used


def test_baskets_are_verified_without_a_learner(tmp_path):
    modules, used = loaded_by_verifying(GreedySelector(5).release(*baskets()).save(tmp_path / "out") / "release")
    assert not [name for name in modules if name.startswith(("sklearn", "discreet.learning", "discreet.methods"))]
    assert used, "supersets are counted by kernels"
