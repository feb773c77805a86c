# SPDX-License-Identifier: Apache-2.0
"""Made-up texts: topics over words of falling frequency, classes that prefer some words; each set from its own seed.

A word's frequency falls with its rank (Zipf). A topic multiplies the frequencies of words by lots of its own; words
that share a stem are multiplied alike. A class prefers some topics, and some words in all of them; a text mixes a few
topics, and draws its words. How strongly classes prefer words, their `pull`, sets how well they are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from discreet import Baskets


@dataclass(frozen=True)
class MadeTexts:
    """How a set is made. `shares` are those of the classes, `length` the words drawn for a text in the middle."""

    rows: int
    words: int
    shares: tuple[float, ...] = (0.5, 0.5)
    length: int = 60
    pull: float = 1.0
    topics: int = 20
    fall: float = 1.0  # the exponent of Zipf's law
    stems: bool = False  # whether words have names with stems in common; else they are numbered
    twice: bool = False  # whether it is also an item that a text has a word twice

    def baskets(self, seed: int) -> Baskets:
        rng = np.random.default_rng(seed)
        n_stems = -(-self.words // 2)
        stem = rng.permutation(self.words) % n_stems
        base = (np.arange(self.words) + 3.0) ** -self.fall
        lots = rng.normal(0, 1.3, (self.topics, n_stems)) * (rng.random((self.topics, n_stems)) < 0.3)
        topics = base * np.exp(lots[:, stem] + rng.normal(0, 0.4, (self.topics, self.words)))
        topics /= topics.sum(axis=1, keepdims=True)
        prefers = 0.15 * np.exp(rng.normal(0, 0.5, (len(self.shares), self.topics)))
        own = rng.normal(0, self.pull, (len(self.shares), n_stems)) * (rng.random((len(self.shares), n_stems)) < 0.3)
        own = np.exp(own[:, stem])
        labels = rng.permutation(np.repeat(np.arange(len(self.shares)), self._sizes()))
        mixes = rng.gamma(prefers[labels])
        mixes /= mixes.sum(axis=1, keepdims=True)
        lengths = np.maximum(rng.lognormal(np.log(self.length), 0.6, self.rows).astype(int), 3)
        counts = sp.vstack(
            [_drawn(rng, n, own[c] * (mix @ topics)) for n, c, mix in zip(lengths, labels, mixes, strict=True)]
        )
        names = [f"w{j}" for j in range(self.words)]
        if self.stems:
            syllables = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
            texts = ["".join(rng.choice(syllables, 3)) + str(j) for j in range(n_stems)]
            names = [f"{texts[s]}-{j}" for j, s in enumerate(stem.tolist())]
        if self.twice:
            counts = sp.csr_array(sp.hstack([counts > 0, counts > 1]))
            names += [f"{name} twice" for name in names]
        return Baskets.of(sp.csr_array(counts > 0).astype(np.uint8), labels, names=names)

    def _sizes(self) -> list[int]:
        ends = np.round(np.cumsum(self.shares) / sum(self.shares) * self.rows).astype(int)
        return np.diff(ends, prepend=0).tolist()


def _drawn(rng: np.random.Generator, length: int, frequencies: np.ndarray) -> sp.csr_array:
    return sp.csr_array(rng.multinomial(length, frequencies / frequencies.sum())[None, :])


MADE: dict[str, MadeTexts] = {
    "short": MadeTexts(1900, 3300, length=45, pull=0.7),
    "long": MadeTexts(1400, 4300, length=140, pull=0.45),
    "tenth": MadeTexts(1600, 3500, (0.9, 0.1), pull=0.8, stems=True),
    "six": MadeTexts(2000, 3000, (1, 1, 1, 1, 1, 1), pull=0.8, stems=True),
    "twice": MadeTexts(1500, 2500, (0.6, 0.4), length=120, pull=0.5, twice=True),
    "few": MadeTexts(150, 2000, pull=0.9),
    "rare": MadeTexts(1000, 9000, (1, 1, 1), length=25, pull=1.2, fall=0.6, stems=True),
    "dense": MadeTexts(1000, 300, length=150, pull=0.5, fall=0.5),
    "unequal": MadeTexts(2000, 3000, (0.85, 0.11, 0.035, 0.005), pull=0.9),
    "large": MadeTexts(20_000, 10_000, pull=0.6),
}


def made(name: str, seed: int = 0) -> Baskets:
    """A set by its name; another seed gives another set of the kind."""
    return MADE[name].baskets(seed + 1000 * (1 + list(MADE).index(name)))
