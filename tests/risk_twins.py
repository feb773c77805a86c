# SPDX-License-Identifier: Apache-2.0
"""The measures of risk again, in plain Python, from their definitions: slow, and independent of the code."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations


def zayatz(sizes, population):
    """Unique persons of the population (Zayatz 1991), exactly."""
    n, counts = sum(sizes), Counter(sizes)

    def seen_once(j):  # one of the j persons of a group is among n of `population`
        return Fraction(j * math.comb(population - j, n - 1), math.comb(population, n))

    total = sum(count * seen_once(j) for j, count in counts.items())
    return counts[1] * counts[1] * seen_once(1) / total / Fraction(n, population)


def pitman_log_likelihood(sizes, theta, alpha):
    """Hoshino 2001, equation by equation, up to what does not depend on the parameters."""
    n, u = sum(sizes), len(sizes)
    value = math.fsum(math.log(theta + i * alpha) for i in range(1, u))
    value -= math.fsum(math.log(theta + i) for i in range(1, n))
    return value + math.fsum(math.log(i - alpha) for size in sizes for i in range(1, size))


def snb_expected(classes, alpha, beta, fraction, size):
    """Groups of `size` in a sample of groups of 1 + X persons, X negative binomial: summed over X."""
    total = 0.0
    for x in range(4000):
        chance = math.exp(math.lgamma(alpha + x) - math.lgamma(alpha) - math.lgamma(x + 1) + alpha * math.log(beta))
        chance *= (1 - beta) ** x
        if x + 1 >= size:
            total += chance * math.comb(x + 1, size) * fraction**size * (1 - fraction) ** (x + 1 - size)
    return classes * total


def negative_binomial(f, p, alpha=0.0):
    """P(F = h | f) for h = f, f + 1, ...: F - f failures before f - alpha successes of probability p."""
    chance, h = p ** (f - alpha), f
    while True:
        yield h, chance
        chance *= (1 - p) * (h - alpha) / (h - f + 1)
        h += 1


def mean_inverse(f, p, alpha=0.0, most=200_000):
    """E[1/F | f], summed until the rest is nothing."""
    terms, seen = [], 0.0
    for h, chance in negative_binomial(f, p, alpha):
        terms.append(chance / h)
        seen += chance
        if h > most or (1 - seen) < 1e-14:
            break
    return math.fsum(terms)


def chance_below(k, f, p, alpha=0.0):
    """P(F < k | f)."""
    total = 0.0
    for h, chance in negative_binomial(f, p, alpha):
        if h >= k:
            break
        total += chance
    return total


def minimal_sample_uniques(rows, persons, max_size):
    """For each row the sets of columns in which nobody else has its values, while in each smaller one somebody has."""
    columns = range(len(rows[0]))
    found = []
    for row, person in zip(rows, persons, strict=True):

        def alone(chosen, row=row, person=person):
            return all(
                whose == person
                for other, whose in zip(rows, persons, strict=True)
                if all(other[c] == row[c] for c in chosen)
            )

        found.append(
            [
                set(chosen)
                for size in range(1, max_size + 1)
                for chosen in combinations(columns, size)
                if alone(chosen) and not any(alone(fewer) for fewer in combinations(chosen, size - 1) if fewer)
            ]
        )
    return found


def suda_scores(msus, n_columns, max_size):
    """Elliot et al. 2005: each set of s columns scores the product of ATT - i for i = s ... M, M at most ATT - 1."""
    last = min(max_size, n_columns - 1)
    return [sum(math.prod(n_columns - i for i in range(len(one), last + 1)) for one in of_row) for of_row in msus]


def sizes_in_population(rows, population):
    """Persons of the population with the values of each row."""
    counts = Counter(population)
    return [counts[row] for row in rows]


def presence(rows, population):
    """The least and the greatest f/F over the persons of the population."""
    here, there = Counter(rows), Counter(population)
    shares = [Fraction(here[values], count) for values, count in there.items()]
    return min(shares), max(shares)


def household_risk(risks, households):
    """1 - prod (1 - r) for the household of each row."""
    spared = defaultdict(lambda: 1.0)
    for risk, household in zip(risks, households, strict=True):
        spared[household] *= 1 - risk
    return [1 - spared[household] for household in households]
