# SPDX-License-Identifier: Apache-2.0
"""Signs +1 and -1 for every item and component of a sketch, computed from a secret key on demand.

Item i is an element of the field GF(2^m). Its code is the word (1, i, i^3) of 2m + 1 bits. A component has a seed of
2m + 1 random bits. The sign is the parity of the seed and the code: +1 when it is even, -1 when it is odd.

Any five codes are linearly independent over GF(2), so the signs of any five items are independent and unbiased exactly,
over all seeds; sketches ask for four. Proof. A set of codes that adds up to zero has an even size, by the leading 1.
Two codes are different by i. Four with sum(i) = 0 and sum(i^3) = 0 have the elementary symmetric functions e1 = 0 and
e3 = 0, so they are the roots of x^4 + e2 x^2 + e4, which is a square: they are not four different items.

The seeds of all components come from the key by SHAKE-256, so without the key components look independent. A
component's seed does not depend on the number of components.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.plain_files import MIB, read_plain
from discreet.foundation.randomness import Randomness

KEY_FILE = "key.json"  # in the owner's folder
KEY_BYTES = 32
MOST_KEY = 64 * MIB  # bytes of the file, which names all items
MOST_ITEMS = 2**31  # a code of 63 bits is a machine word
_BLOCK = 64  # components whose signs of an item are one word
_FEW_ITEMS = 2**20  # codes of so many items are kept

# The irreducible polynomials x^m + ... over GF(2), for m = 1 to 31, without their leading power.
_POLYNOMIALS = tuple(
    sum(1 << power for power in powers)
    for powers in (
        *((0,), (1, 0), (1, 0), (1, 0), (2, 0), (1, 0), (1, 0), (4, 3, 1, 0), (1, 0), (3, 0), (2, 0), (3, 0)),
        *((4, 3, 1, 0), (5, 0), (1, 0), (5, 3, 1, 0), (3, 0), (3, 0), (5, 2, 1, 0), (3, 0), (2, 0), (1, 0)),
        *((5, 0), (4, 3, 1, 0), (3, 0), (4, 3, 1, 0), (5, 2, 1, 0), (1, 0), (2, 0), (1, 0), (3, 0)),
    )
)


def degree_of(n_items: int) -> int:
    """The least m for which GF(2^m) has an element for every item.

    >>> degree_of(1000), degree_of(1024), degree_of(1)
    (10, 10, 1)
    """
    return max(1, (n_items - 1).bit_length())


@dataclass(frozen=True)
class Signs:
    """The signs of a key: `signs.of(items, components)`. Anyone who has the key knows them all.

    >>> signs = Signs(bytes(32), 1000)
    >>> signs.of([3, 7], 6).tolist() == signs.of([3, 7], 100)[:, :6].tolist()
    True
    >>> signs
    Signs(1000 items)
    """

    key: bytes
    n_items: int

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != KEY_BYTES:
            raise ParameterError(f"A key of signs must have {KEY_BYTES} bytes.")
        if not 1 <= self.n_items <= MOST_ITEMS:
            raise ParameterError(f"Signs are for 1 to {MOST_ITEMS} items. Got {self.n_items}.")

    @classmethod
    def fresh(cls, n_items: int, randomness: Randomness | None = None) -> Signs:
        """Signs of a new key."""
        return cls((randomness or Randomness()).bytes(KEY_BYTES), n_items)

    def __repr__(self) -> str:  # the key must not appear in logs
        return f"Signs({self.n_items} items)"

    @property
    def degree(self) -> int:
        return degree_of(self.n_items)

    def of(self, items: object, components: int) -> np.ndarray:
        """The signs of some items, one row each, as 8-bit numbers."""
        chosen = np.asarray(items, dtype=np.int64).reshape(-1)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < self.n_items):
            raise ParameterError(f"Signs are for items 0 to {self.n_items - 1}; other items were given.")
        return expand(self._codes(chosen), self.tables(components), components)

    def words(self, components: int) -> np.ndarray:
        """The signs of all items as bits, a word for every 64 components; one where the sign is -1.

        Bits are in the order of `transposed`.
        """
        return words_of(self._codes(np.arange(self.n_items)), transposed(self.tables(components)))

    def tables(self, components: int) -> np.ndarray:
        """For every block of 64 components, the signs that a byte of a code gives, as bits of a word."""
        return _tables(self.key, self.degree, -(-components // _BLOCK))

    def _codes(self, items: np.ndarray) -> np.ndarray:
        if self.n_items > _FEW_ITEMS:
            return codes_of(items, self.degree)
        return self._all_codes[items]

    @cached_property
    def _all_codes(self) -> np.ndarray:
        return codes_of(np.arange(self.n_items), self.degree)


def write_key(signs: Signs, names: Sequence[str], path: Path) -> None:
    """The key and the names of the items, in their order, for the owner: with them new records can be sketched."""
    document = {"key": signs.key.hex(), "items": list(names)}
    path.touch(mode=0o600)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8", newline="\n")


def read_key(path: Path | str) -> tuple[Signs, tuple[str, ...]]:
    """The signs and the names of the items that `write_key` wrote."""
    try:
        document = json.loads(read_plain(path, most=MOST_KEY, links=True))
        names = tuple(map(str, document["items"]))
        return Signs(bytes.fromhex(document["key"]), len(names)), names
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"The owner's {KEY_FILE} cannot be read ({type(error).__name__}).") from None


def codes_of(items: np.ndarray, degree: int) -> np.ndarray:
    """The words (1, i, i^3) of items, as numbers: the bit of weight 1, then i, then i^3.

    >>> [bin(code) for code in codes_of(np.array([0, 1, 2]), 2).tolist()]
    ['0b1', '0b1011', '0b1101']
    """
    return _codes(items.astype(np.uint64), np.uint64(degree), np.uint64(_POLYNOMIALS[degree - 1]))


def seeds_of(key: bytes, degree: int, blocks: int) -> np.ndarray:
    """The seeds of the components, a row for every block of 64."""
    drawn = [hashlib.shake_256(key + b"signs" + block.to_bytes(8, "big")).digest(8 * _BLOCK) for block in range(blocks)]
    words = np.frombuffer(b"".join(drawn), dtype="<u8").astype(np.uint64).reshape(blocks, _BLOCK)
    return words & np.uint64(2 ** (2 * degree + 1) - 1)


@lru_cache(maxsize=8)
def _tables(key: bytes, degree: int, blocks: int) -> np.ndarray:
    return tables_of(seeds_of(key, degree, blocks), degree)


def tables_of(seeds: np.ndarray, degree: int) -> np.ndarray:
    """tables[block, b, v] has the bit c when byte b of a code, with the value v, has odd parity with seed c."""
    n_bytes = -(-(2 * degree + 1) // 8)
    tables = np.zeros((len(seeds), n_bytes, 256), dtype=np.uint64)
    place = np.uint64(1) << np.arange(seeds.shape[1], dtype=np.uint64)
    for bit in range(8 * n_bytes):
        plane = (((seeds >> np.uint64(bit)) & np.uint64(1)) * place).sum(axis=1, dtype=np.uint64)
        low = 1 << (bit % 8)
        tables[:, bit // 8, low : 2 * low] = tables[:, bit // 8, :low] ^ plane[:, None]
    return tables


def transposed(tables: np.ndarray) -> np.ndarray:
    """Words with their bits in another order: component 8 i + j of a block is bit 8 j + i.

    Then the lowest bits of all bytes of a word, shifted by i, are the components 8 i to 8 i + 7 in their order.
    """
    bits = np.unpackbits(tables.astype("<u8")[..., None].view(np.uint8), axis=-1, bitorder="little")
    turned = bits.reshape(*tables.shape, 8, 8).swapaxes(-1, -2).reshape(*tables.shape, 64)
    return np.packbits(turned, axis=-1, bitorder="little").view("<u8")[..., 0].astype(np.uint64)


@compiled
def _codes(items, degree, polynomial):
    one, codes = np.uint64(1), np.empty(len(items), np.uint64)
    for place in range(len(items)):
        power = item = items[place]
        for _ in range(2):  # power times item, twice
            product, factor = np.uint64(0), power
            for bit in range(degree):
                if (item >> np.uint64(bit)) & one:
                    product ^= factor
                factor <<= one
                if (factor >> degree) & one:
                    factor ^= (one << degree) | polynomial
            power = product
        codes[place] = one | (item << one) | (power << (degree + one))
    return codes


@compiled
def expand(codes, tables, components):
    """The signs of codes as a matrix of 8-bit numbers, a row for each."""
    one, byte = np.uint64(1), np.uint64(255)
    signs = np.empty((len(codes), components), np.int8)
    for place in range(len(codes)):
        row = signs[place]
        for block in range(len(tables)):
            word, rest = np.uint64(0), codes[place]
            for part in range(tables.shape[1]):
                word ^= tables[block, part, rest & byte]
                rest >>= np.uint64(8)
            first = 64 * block
            for c in range(min(64, components - first)):
                row[first + c] = 1 - 2 * np.int8((word >> np.uint64(c)) & one)
    return signs


@compiled
def words_of(codes, tables):
    """The signs of items as bits, a word for every 64 components: a bit is one where the sign is -1."""
    byte = np.uint64(255)
    words = np.empty((len(codes), len(tables)), dtype=np.uint64)
    for place in range(len(codes)):
        for block in range(len(tables)):
            word, rest = np.uint64(0), codes[place]
            for part in range(tables.shape[1]):
                word ^= tables[block, part, rest & byte]
                rest >>= np.uint64(8)
            words[place, block] = word
    return words
