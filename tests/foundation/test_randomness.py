# SPDX-License-Identifier: Apache-2.0
"""Random choices: reproducible with a seed, secure without."""

import hashlib

import numpy as np
import pytest

from discreet.foundation.randomness import Randomness, _order_of, drawn_seed, seed_of


def test_the_same_seed_gives_the_same_stream_on_every_machine():
    # by hand: SHAKE-256 of SHA-256("discreet seed 7") and the number of the draw
    key = hashlib.sha256(b"discreet seed 7").digest()
    expected = hashlib.shake_256(key + (1).to_bytes(8, "big")).digest(4)
    assert Randomness(7).bytes(4) == expected
    assert Randomness(np.int64(7)).bytes(4) == expected
    assert Randomness(-7).bytes(4) != expected


def test_without_a_seed_no_stream_repeats():
    assert Randomness().bytes(16) != Randomness().bytes(16)
    assert (Randomness().seeded, Randomness(0).seeded) == (False, True)


def test_draws_differ_and_do_not_depend_on_the_size_of_others():
    one, other = Randomness(1), Randomness(1)
    first = one.bytes(8)
    assert one.bytes(8) != first
    other.bytes(1000)
    assert other.bytes(8) == Randomness(1).bytes(0) + _second(8)


def _second(n: int) -> bytes:
    stream = Randomness(1)
    stream.bytes(1)
    return stream.bytes(n)


def test_permutations_are_permutations_and_even():
    stream = Randomness(3)
    assert sorted(stream.permutation(100)) == list(range(100))
    assert stream.permutation(0).tolist() == []
    # 6 orders of 3 things, 6000 draws: a count is 1000 +- 29; six standard deviations are 173 (odds 6 * 2e-9)
    codes = [int("".join(map(str, stream.permutation(3)))) for _ in range(6000)]
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 1000).max() < 173


def test_uint64_covers_its_range_evenly():
    numbers = Randomness(5).uint64(4096)
    assert numbers.dtype == np.dtype("<u8")
    bits = np.unpackbits(numbers.view(np.uint8)).reshape(-1, 64).sum(axis=0, dtype=int)
    assert np.abs(bits - 2048).max() < 6 * 32  # each of 64 bits is a coin: standard deviation 32


def test_the_numpy_generator_follows_the_seed():
    assert Randomness(1).numpy().random() == Randomness(1).numpy().random()
    assert Randomness(1).numpy().random() != Randomness(2).numpy().random()


@pytest.mark.parametrize("seed", ["7", 7.5, 7.0, True, [7], np.random.PCG64(0)])
def test_other_seeds_are_refused(seed):
    with pytest.raises(TypeError, match="must be a whole number or None") as caught:
        Randomness(seed)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("source", [np.random.RandomState, np.random.default_rng])
def test_generators_of_numpy_give_a_seed_each_time_they_are_asked(source):
    one, other = source(3), source(3)
    first = Randomness(one)
    assert first.seeded
    assert first.bytes(8) == Randomness(other).bytes(8)
    assert Randomness(one).seed != first.seed  # the generator has moved on
    assert drawn_seed(one) < 2**32


def test_without_a_seed_one_is_drawn_where_one_is_needed():
    assert seed_of(None) is None
    assert drawn_seed(None) != drawn_seed(None)  # fails once in four thousand million runs
    assert drawn_seed(np.int64(7)) == seed_of(7) == 7
    assert not Randomness(None).seeded


def test_a_repr_does_not_show_the_key():
    stream = Randomness(7)
    stream.bytes(1)
    assert repr(stream) == "Randomness(seeded, 1 draws)"
    assert repr(Randomness()) == "Randomness(secure, 0 draws)"


def test_keys_that_agree_in_their_first_bits_are_put_in_order():
    keys = Randomness(1).uint64(3000)
    few = (keys >> np.uint64(58) << np.uint64(58)) | (keys & np.uint64(15))  # many are alike but for their last bits
    for some in (keys, few, keys[:1], keys[:0]):
        assert np.array_equal(_order_of(some), np.argsort(some, kind="stable"))


def test_the_stream_of_a_secret_depends_on_it_and_on_the_draw():
    one, same, other = (Randomness.of_secret(bytes([number] * 32)) for number in (1, 1, 2))
    first = one.bytes(1000)
    assert first == same.bytes(1000)
    assert len({first, one.bytes(1000), other.bytes(1000)}) == 3
    assert abs(sum(first) / 1000 - 127.5) < 12  # five standard deviations
