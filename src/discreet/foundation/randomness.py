# SPDX-License-Identifier: Apache-2.0
"""Random choices: the system's secure generator, unless a seed is given.

Both use one kind of stream: SHAKE-256 of a 32-byte key. Without a seed the key comes from the operating
system; with a seed it is derived from it, so that the same seed gives the same bytes on every machine.
SHAKE-256 is a cryptographic extendable-output function: without the key its output is unpredictable.
The stream of a secret, from which the orders of millions of rows are drawn, is AES-256 in counter mode, which
processors have instructions for: ten times as fast.
"""

from __future__ import annotations

import builtins
import hashlib
import operator
import secrets

import numpy as np

from discreet.foundation.compiled_kernels import compiled

RandomState = int | np.random.RandomState | np.random.Generator | None  # what scikit-learn takes, and NumPy's newer one
_SOURCES = (np.random.RandomState, np.random.Generator)
_BITS = 63  # of a seed that is drawn from a generator


class Randomness:
    """A stream of random numbers, secure or reproducible.

    >>> Randomness(7).permutation(5).tolist() == Randomness(7).permutation(5).tolist()
    True
    """

    def __init__(self, random_state: RandomState = None):
        self.seed = seed_of(random_state)
        if self.seed is None:
            self._key = secrets.token_bytes(32)
        else:
            self._key = hashlib.sha256(b"discreet seed %d" % self.seed).digest()
        self._drawn, self._by_cipher = 0, False

    @property
    def seeded(self) -> bool:
        """Whether the stream can be repeated."""
        return self.seed is not None

    @classmethod
    def of_secret(cls, secret: builtins.bytes) -> Randomness:
        """The stream of 32 secret bytes, which several processes may share."""
        if len(secret) != 32:
            raise ValueError("A secret has 32 bytes.")
        randomness = cls()
        randomness._key = hashlib.sha256(b"discreet secret" + secret).digest()
        randomness._by_cipher = True
        return randomness

    def __repr__(self) -> str:
        return f"Randomness({'seeded' if self.seeded else 'secure'}, {self._drawn} draws)"

    def bytes(self, n: int) -> builtins.bytes:
        """The next n bytes. Each draw has its own block, so it does not depend on the sizes of other draws."""
        self._drawn += 1
        block = self._key + self._drawn.to_bytes(8, "big")
        return _key_stream(block, n) if self._by_cipher else hashlib.shake_256(block).digest(n)

    def uint64(self, n: int) -> np.ndarray:
        """The next n whole numbers, uniform on 0 .. 2^64 - 1."""
        return np.frombuffer(self.bytes(8 * n), dtype="<u8")

    def permutation(self, n: int) -> np.ndarray:
        """A uniformly random order of 0..n-1 (64-bit keys sorted; a tie among n keys has odds n^2/2^65)."""
        return _order_of(self.uint64(n))

    def shuffle(self, order: np.ndarray) -> None:
        """Put an array of 64-bit integers into a uniformly random order, many times as fast as `permutation`.

        Fisher and Yates; the odds of the places differ by at most n / 2^64. n must be below 2^32.
        """
        _swap(order, self.uint64(len(order)).astype(np.uint64))

    def numpy(self) -> np.random.Generator:
        """A NumPy generator seeded from this stream, for simulation and model fitting, never for privacy noise."""
        return np.random.default_rng(np.frombuffer(self.bytes(32), dtype="<u4"))


def _order_of(keys: np.ndarray) -> np.ndarray:
    """The stable order of random keys: each is sorted with its place in its last bits, twice as fast as `argsort`; the
    few that agree in all other bits are put in order afterwards.
    """
    places = np.uint64((1 << max(len(keys) - 1, 0).bit_length()) - 1)
    packed = (keys & ~places) | np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order = (packed & places).astype(np.int64)
    alike = np.flatnonzero((packed[1:] ^ packed[:-1]) <= places)
    for run in np.split(alike, np.flatnonzero(np.diff(alike) > 1) + 1) if len(alike) else ():
        some = slice(int(run[0]), int(run[-1]) + 2)
        order[some] = order[some][np.argsort(keys[order[some]], kind="stable")]
    return order


@compiled
def _swap(order, drawn):
    for i in range(len(order) - 1, 0, -1):
        n = np.uint64(i + 1)
        high, low = drawn[i] >> np.uint64(32), drawn[i] & np.uint64(0xFFFFFFFF)
        j = (high * n + ((low * n) >> np.uint64(32))) >> np.uint64(32)  # drawn * n / 2^64
        order[i], order[j] = order[j], order[i]


def _key_stream(block: builtins.bytes, n: int) -> builtins.bytes:
    """The first n bytes of AES-256 in counter mode, with a key of its own for each block."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(hashlib.sha256(block).digest()), modes.CTR(builtins.bytes(16)))
    return cipher.encryptor().update(builtins.bytes(n))


def seed_of(random_state: RandomState) -> int | None:
    """A `random_state` as scikit-learn has it, as a seed: None, a whole number, or what a NumPy generator draws next.

    A generator is advanced, so that the same one gives another seed the next time. True, 7.5 or "7" is a mistake that
    would silently give another stream.

    >>> seed_of(7), seed_of(None), seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    (7, None, True)
    """
    if random_state is None:
        return None
    if is_source(random_state):
        return int.from_bytes(random_state.bytes(8), "big") >> (64 - _BITS)  # type: ignore[union-attr]
    if not isinstance(random_state, bool):
        try:
            return operator.index(random_state)  # type: ignore[arg-type]
        except TypeError:
            pass
    found = "truth value" if isinstance(random_state, bool) else type(random_state).__name__
    raise TypeError(f"A seed must be a whole number or None, or a NumPy generator; a {found} was given.")


def drawn_seed(random_state: RandomState) -> int:
    """As `seed_of`; without one a seed is drawn. At most 32 bits where it is drawn, as scikit-learn takes them."""
    if random_state is None:
        return secrets.randbits(32)
    seed = seed_of(random_state)
    assert seed is not None
    return seed % 2**32 if is_source(random_state) else seed


def is_source(value: object) -> bool:
    """Whether this is a generator of NumPy, of the older or the newer kind, or NumPy's own."""
    return isinstance(value, _SOURCES) or value is np.random
