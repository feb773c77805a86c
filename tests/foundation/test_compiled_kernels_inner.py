# SPDX-License-Identifier: Apache-2.0
"""Kernels that only other kernels call."""

import numba
import pytest
from numba.core import compiler

from discreet.foundation.compiled_kernels_inner import inner_pipeline


@pytest.fixture
def asked_anew():
    inner_pipeline.cache_clear()
    yield
    inner_pipeline.cache_clear()


def test_the_installed_numba_is_one_that_was_tried(asked_anew):
    assert inner_pipeline() is not compiler.Compiler


def test_another_version_of_numba_works_in_its_own_way(asked_anew, monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    assert inner_pipeline() is compiler.Compiler


@pytest.mark.parametrize("version", ["0.68", "0.680.1"])
def test_versions_are_compared_by_their_parts(asked_anew, monkeypatch, version):
    monkeypatch.setattr(numba, "__version__", version)
    assert inner_pipeline() is compiler.Compiler


def test_a_kernel_called_by_a_kernel_gives_what_it_gives_alone(asked_anew):
    njit = numba.njit(pipeline_class=inner_pipeline(), no_cpython_wrapper=True, no_cfunc_wrapper=True)
    inner = njit(lambda x: 3 * x + 1)

    @numba.njit
    def outer(n):
        total = 0
        for i in range(n):
            total += inner(i)
        return total

    assert outer(10) == sum(3 * i + 1 for i in range(10))
