# SPDX-License-Identifier: Apache-2.0
"""An assessment in plain words: what a privacy officer reads on the screen. Names of columns and counts, no cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.errors import listing, plain, shown

if TYPE_CHECKING:
    from discreet.risk.assessment import RiskAssessment

_MODELS = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "SNB", "census": "the table, which is the whole population"}
_BASES = {
    "table": "the table is taken to be the population",
    "estimated": "the population is estimated",
    "counted": "counted in the population",
}


def sentences(found: RiskAssessment) -> list[str]:
    """The assessment, line by line."""
    rows = found.sample.rows
    persons = "" if found.sample.persons == rows else f" of {found.sample.persons:,} persons"
    return [
        f"Risk of {rows:,} rows{persons} on {listing(found.quasi)}",
        *_in_the_table(found),
        *_in_the_population(found),
        *_of_attackers(found),
        *_of_special_uniques(found),
        *_of_columns(found),
        *(f"Note: {note}" for note in found.notes),
    ]


def share(value: float) -> str:
    """A probability or share in percent with one decimal, as everywhere; small risks with two digits; 0 and 100 only if
    exact.

    >>> share(0.5), share(0.00012), share(0.0), share(0.9999)
    ('50.0 %', '0.012 %', '0 %', '> 99.9 %')
    """
    if value in (0, 1):
        return f"{100 * value:.0f} %"
    if 0.999 < value < 1:
        return "> 99.9 %"
    return f"{100 * value:.1f} %" if value >= 0.001 else f"{100 * value:.2g} %"


def _line(label: str, text: str) -> str:
    return f"  {label:<22}{text}"


def _rows(rows: float, of: int) -> str:
    return f"{rows:,.0f} {'row' if rows == 1 else 'rows'} ({share(rows / of)})"


def _in_the_table(found: RiskAssessment) -> Iterator[str]:
    sample = found.sample
    yield "In the table"
    yield _line("smallest group", f"k = {sample.k:,}")
    yield _line("unique", f"{_rows(sample.unique, sample.rows)} share their values with nobody")


def _in_the_population(found: RiskAssessment) -> Iterator[str]:
    rows = found.sample.rows
    if found.population is not None:
        counted = found.population
        yield f"In the population, {counted.persons:,} persons counted"
        yield _line("unique", f"{counted.unique:,} persons ({share(counted.unique / max(counted.persons, 1))})")
    if found.uniqueness is not None:
        guess = found.uniqueness
        yield f"In the population, about {guess.persons:,.0f} persons, {share(guess.fraction)} of them in the table"
        yield _line("unique", f"about {guess.unique:,.0f} persons ({share(guess.share)}), by {_MODELS[guess.model]}")
        others = [f"{_MODELS[name]} {value:,.0f}" for name, value in guess.estimates.items() if value is not None]
        yield _line("", f"estimates: {', '.join(others)}")
    if found.k_map is not None:
        k, few = found.k_map.k, found.k_map.below[5]
        sure = "" if found.k_map.confidence == 1 else f", with {share(found.k_map.confidence)} confidence"
        yield _line("fewest like a row", f"k-map, k = {k:,}{sure}; {_rows(few, rows)} with fewer than 5")
    if found.individual is not None:
        risk = found.individual
        what = "rows named correctly" if risk.kind == "person" else "rows whose household is named"
        yield _line("individual risk", f"{share(risk.rate)} on average, {share(risk.highest)} at most")
        yield _line("", f"{risk.expected:,.1f} {what} are expected if all are tried")
        yield _line("", f"{_rows(risk.at_risk, rows)} above {share(risk.threshold)}")
    if found.by_pitman is not None:
        rare = found.by_pitman
        yield _line("seeing rare values", f"{share(rare.rate)} on average, {share(rare.highest)} at most (Pitman)")
        yield _line(
            "",
            f"{rare.expected:,.1f} correct names expected; {_rows(rare.at_risk, rows)} above {share(rare.threshold)}",
        )
    if found.presence is not None:
        low, high, certain = found.presence.low, found.presence.high, found.presence.certain
        yield _line(
            "presence", f"between {share(low)} and {share(high)}: {_rows(certain, rows)} certainly in the table"
        )


def _of_attackers(found: RiskAssessment) -> Iterator[str]:
    attackers, rows = found.attackers, found.sample.rows
    yield f"Attackers ({_BASES[attackers.basis]})"
    for name, knows in (("prosecutor", "knows who is in the table"), ("journalist", "does not know")):
        success = getattr(attackers, name)
        often = f"right in {share(success.average)}, at most {share(success.highest)}"
        yield _line(name, f"{knows}: {often}; {_rows(success.at_risk, rows)} above {share(attackers.threshold)}")
    yield _line("marketer", f"links all rows: right in {share(attackers.marketer)}")


def _of_special_uniques(found: RiskAssessment) -> Iterator[str]:
    special, rows = found.special_uniques, found.sample.rows
    if special is None:
        return
    yield "Special uniques (SUDA)"
    few = sum(number for size, number in special.by_size.items() if size <= 2)
    yield _line(
        "on fewer columns", f"{_rows(special.special, rows)} alone; {few:,} times one or two columns are enough"
    )
    if special.scored:
        order = sorted(special.contributions.items(), key=lambda one: -one[1])
        told = ", ".join(f"{shown(name)} {share(value)}" for name, value in order[:5] if value > 0)
        yield _line("because of", f"{told}{' ...' if len(order) > 5 else ''}")
    if special.dis is not None and special.scored:
        yield _line("DIS-SUDA", f"a match with the riskiest row is right with {share(float(special.dis.max()))}")


def _of_columns(found: RiskAssessment) -> Iterator[str]:
    harbour = found.safe_harbour
    if harbour.passes:
        yield f"HIPAA safe harbour: nothing was found in {harbour.columns} columns, which proves nothing"
        return
    number = len(harbour.findings)
    yield f"HIPAA safe harbour: {number} {'finding' if number == 1 else 'findings'} in {harbour.columns} columns"
    for one in harbour.findings:
        yield _line(plain(one.column)[:20], f"{one.reason} ({one.identifier}), {_rows(one.rows, harbour.rows)}")
