# SPDX-License-Identifier: Apache-2.0
"""Signs: exact independence over all seeds of small fields, the field itself, and what a key gives."""

import itertools

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.sketching.signs import _POLYNOMIALS, MOST_ITEMS, Signs, codes_of, degree_of, expand, seeds_of, tables_of


def product(a: int, b: int, degree: int) -> int:
    """Multiplication in the field, by the book: shift and reduce."""
    found = 0
    while b:
        if b & 1:
            found ^= a
        a <<= 1
        if a >> degree & 1:
            a ^= 1 << degree | _POLYNOMIALS[degree - 1]
        b >>= 1
    return found


def all_signs(degree: int) -> np.ndarray:
    """The signs of all items under all seeds: items x seeds."""
    n_seeds = 2 ** (2 * degree + 1)
    blocks = np.arange(-(-n_seeds // 64) * 64, dtype=np.uint64).reshape(-1, 64) % np.uint64(n_seeds)
    return expand(codes_of(np.arange(2**degree), degree), tables_of(blocks, degree), n_seeds)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_any_five_signs_are_independent_and_unbiased_exactly(degree):
    signs = all_signs(degree).astype(np.int64)
    for size in range(1, min(5, len(signs)) + 1):
        for items in itertools.combinations(range(len(signs)), size):
            assert signs[list(items)].prod(axis=0).sum() == 0


def test_six_signs_are_not_independent():
    """Five is all that the construction gives; a claim of more would be wrong."""
    signs = all_signs(4).astype(np.int64)
    sums = [signs[list(items)].prod(axis=0).sum() for items in itertools.combinations(range(16), 6)]
    assert any(sums)


@pytest.mark.parametrize("degree", range(1, 32))
def test_the_polynomials_are_irreducible(degree):
    """By Rabin's test, on polynomials as numbers."""
    modulus = 1 << degree | _POLYNOMIALS[degree - 1]

    def rest(a: int, b: int) -> int:
        while b and a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        return a

    def power(times: int) -> int:  # x^(2^times)
        found = rest(2, modulus)
        for _ in range(times):
            found = product(found, found, degree)
        return found

    assert power(degree) == rest(2, modulus)
    for prime in (q for q in range(2, degree + 1) if degree % q == 0 and all(q % p for p in range(2, q))):
        a, b = modulus, power(degree // prime) ^ rest(2, modulus)
        while b:
            a, b = b, rest(a, b)
        assert a == 1, "a factor of lower degree"


@pytest.mark.parametrize("degree", range(1, 32))
def test_codes_are_one_the_item_and_its_cube(degree):
    items = sorted({0, 1, 2**degree - 1, 2**degree // 3, 2**degree // 2})
    cubes = [product(i, product(i, i, degree), degree) for i in items]
    slow = [1 | i << 1 | cube << (degree + 1) for i, cube in zip(items, cubes, strict=True)]
    assert codes_of(np.array(items), degree).tolist() == slow


@pytest.mark.parametrize("n_items", [1, 2, 3, 64, 1000, 2**20 + 1, MOST_ITEMS])
def test_signs_are_parities_of_the_seeds_and_the_codes(n_items):
    signs, degree = Signs(bytes(range(32)), n_items), degree_of(n_items)
    items = sorted({0, n_items // 2, n_items - 1})
    seeds = seeds_of(signs.key, degree, 3).ravel()[:150].tolist()
    codes = codes_of(np.array(items), degree).tolist()
    assert signs.of(items, 150).tolist() == [
        [1 - 2 * ((code & seed).bit_count() % 2) for seed in seeds] for code in codes
    ]


def test_more_components_or_items_asked_do_not_change_the_first():
    signs = Signs(bytes(32), 500)
    whole = signs.of(np.arange(500), 200)
    assert (signs.of([7, 499], 65) == whole[[7, 499], :65]).all()


def test_keys_are_fresh_secret_and_their_own():
    one, other = Signs.fresh(100), Signs.fresh(100)
    assert one.key != other.key
    assert (one.of(range(100), 64) != other.of(range(100), 64)).any()
    assert one.key.hex() not in repr(one)
    assert str(one.key) not in repr(one)


def test_signs_are_balanced_over_components():
    """100 items x 10,000 components: each mean within five standard deviations of zero."""
    means = Signs(bytes(32), 100).of(range(100), 10_000).mean(axis=1)
    assert np.abs(means).max() < 5 / 100


def test_wrong_keys_and_items_are_refused():
    for key, n_items in ((b"short", 3), ("x" * 32, 3), (bytes(32), 0), (bytes(32), MOST_ITEMS + 1)):
        with pytest.raises(ParameterError):
            Signs(key, n_items)
    for items in ([-1], [3]):
        with pytest.raises(ParameterError):
            Signs(bytes(32), 3).of(items, 5)
