# SPDX-License-Identifier: Apache-2.0
"""Signs that stand for others in numbers and dates: digits of full width, `,-` for no cents, days in kanji."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

_WIDE = str.maketrans("０１２３４５６７８９．，％￥－＋／：（）＄", "0123456789.,%¥-+/:()$")
_HAS_WIDE = f"[{''.join(map(chr, _WIDE))}]"
_NO_CENTS = r"([0-9])([.,])[\-\x{2013}\x{2014}]([^0-9.,]|$)"  # 1.234,- and 12.-, but not the range 1.-3
_RUPEES = r"([0-9])/-$"
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}  # the years before their first ones
_ERA = re.compile(rf"({'|'.join(_ERAS)})([0-9]{{1,2}}|元)年(.*)")
_KANJI_DAY = r"^([0-9]{4})[年년][ ]?([0-9]{1,2})[月월][ ]?([0-9]{1,2})[日号일]"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?"
_CLOCK_WITHIN = rf"^((?:[A-Z][a-z]{{2}} )?[A-Z][a-z]{{2}} +[0-9]{{1,2}}) ({_CLOCK})(?: [A-Z]{{3,4}})? ([0-9]{{4}})$"
_REWRITTEN = (  # patterns of Arrow, and what takes their place
    (_KANJI_DAY, r"\1-\2-\3"),
    (r"^([0-9]{4})[年년][ ]?([0-9])[月월]$", r"\1-0\2"),
    (r"^([0-9]{4})[年년][ ]?([0-9]{2})[月월]$", r"\1-\2"),
    (_CLOCK_WITHIN, r"\1, \3 \2"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})", r"\1-\2-\3 \4:\5:\6"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})", r"\1-\2-\3 \4:\5"),
)


def usual_numbers(texts: pa.Array) -> pa.Array:
    """Texts with digits of usual width, and without the marks for no cents.

    >>> usual_numbers(pa.array(["１２", "1.234,-", "7,000/-"])).to_pylist()
    ['12', '1.234,00', '7,000']
    """
    if not _any(texts, rf"{_HAS_WIDE}|{_NO_CENTS}|{_RUPEES}"):
        return texts
    narrow = half_width(texts)
    with_cents = pc.replace_substring_regex(narrow, _NO_CENTS, r"\1\200\3")
    return pc.replace_substring_regex(with_cents, _RUPEES, r"\1")


def usual_dates(texts: pa.Array) -> pa.Array:
    """Dates of kanji, of eras and of programs in a form that `days_of` reads.

    >>> usual_dates(pa.array(["2024年3月25日", "令和6年3月25日", "20240325T143000"])).to_pylist()
    ['2024-3-25', '2024-3-25', '2024-03-25 14:30:00']
    """
    if not _any(texts, rf"{_HAS_WIDE}|[年년]|^[0-9]{{8}}T|{_CLOCK_WITHIN}"):
        return texts
    texts = _without_eras(half_width(texts))
    for pattern, form in _REWRITTEN:
        texts = pc.replace_substring_regex(texts, pattern, form)
    return texts


def half_width(texts: pa.Array) -> pa.Array:
    if not _any(texts, _HAS_WIDE):
        return texts
    return pa.array([None if text is None else text.translate(_WIDE) for text in texts.to_pylist()], pa.string())


def _without_eras(texts: pa.Array) -> pa.Array:
    """Years of Japanese eras as years of our own."""
    if not _any(texts, "|".join(_ERAS)):
        return texts

    def year(match: re.Match[str]) -> str:
        return f"{_ERAS[match[1]] + (1 if match[2] == '元' else int(match[2]))}年{match[3]}"

    return pa.array([None if text is None else _ERA.sub(year, text) for text in texts.to_pylist()], pa.string())


def _any(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())
