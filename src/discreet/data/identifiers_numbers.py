# SPDX-License-Identifier: Apache-2.0
"""Numbers that stand for one person, and their check digits: national numbers, bank accounts, cards, devices.

A check is given a number without blanks, dots, hyphens and slashes, in capitals. Each follows the rule that the issuing
office publishes. A check digit is right by chance in one of ten numbers or so, and in a whole column never.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_SEPARATORS = str.maketrans("", "", " .-/\u00a0")
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_PPS = "WABCDEFGHIJKLMNOPQRSTUV"
_CF_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14),
            *(16, 10, 22, 25, 24, 23),
        ),
        strict=True,
    )
)


def compact(text: str) -> str:
    """A number without what only makes it easier to read.

    >>> compact("de89 3704-0044"), compact("756.1234.5678.97")
    ('DE8937040044', '7561234567897')
    """
    return text.translate(_SEPARATORS).upper()


def weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(digits: str) -> bool:
    """The rule of cards, of devices and of several national numbers.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def mod_97(text: str) -> bool:
    """The rule of IBAN (ISO 13616): letters are numbers from 10 on, the first four signs come last.

    >>> mod_97("DE89370400440532013000"), mod_97("DE89370400440532013001")
    (True, False)
    """
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def _is_day(day: str, month: str, *, day_shifts: tuple[int, ...] = (0,), month_shifts: tuple[int, ...] = (0,)) -> bool:
    return any(1 <= int(day) - s <= 31 for s in day_shifts) and any(1 <= int(month) - s <= 12 for s in month_shifts)


def _german_tax(number: str) -> bool:
    product = 10
    for digit in number[:10]:
        product = 2 * ((int(digit) + product) % 10 or 10) % 11
    repeated = [n for n in map(number[:10].count, set(number[:10])) if n > 1]
    return (11 - product) % 10 == int(number[10]) and len(repeated) == 1 and repeated[0] <= 3


def _german_pension(number: str) -> bool:
    digits = f"{number[:8]}{ord(number[8]) - 64:02}{number[9:11]}"
    products = (int(d) * w for d, w in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True))
    return sum(p // 10 + p % 10 for p in products) % 10 == int(number[11]) and _is_day(
        number[2:4], number[4:6], day_shifts=(0, 50)
    )


def _french(number: str) -> bool:
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(number[13:])


def _italian(code: str) -> bool:
    odd = sum(_CF_ODD[sign] for sign in code[:15:2])
    even = sum(int(sign) if sign.isdigit() else ord(sign) - 65 for sign in code[1:15:2])
    return chr(65 + (odd + even) % 26) == code[15]


def _spanish(number: str) -> bool:
    return _DNI[int(number[:-1].translate(str.maketrans("XYZ", "012"))) % 23] == number[-1]


def _dutch(number: str) -> bool:
    return int(number) > 0 and weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _belgian(number: str) -> bool:
    key, month = int(number[9:]), int(number[2:4])
    return month % 20 <= 12 and key in (97 - int(number[:9]) % 97, 97 - int("2" + number[:9]) % 97)


def _nhs(number: str) -> bool:
    return (11 - weighted(number[:9], (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 11 == int(number[9])


def _swedish(number: str) -> bool:
    short = number.replace("+", "")[-10:]
    return luhn(short) and _is_day(short[4:6], short[2:4], day_shifts=(0, 60))


def _norwegian(number: str) -> bool:
    first = (11 - weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11) % 11
    second = (11 - weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    return (str(first), str(second)) == (number[9], number[10]) and _is_day(
        number[:2], number[2:4], day_shifts=(0, 40), month_shifts=(0, 40, 80)
    )


def _finnish(number: str) -> bool:
    digits = number[:6] + number[-4:-1]
    return _HETU[int(digits) % 31] == number[-1] and _is_day(number[:2], number[2:4])


def _polish(number: str) -> bool:
    right = -weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10 == int(number[10])
    return right and _is_day(number[4:6], number[2:4], month_shifts=(0, 20, 40, 60, 80))


def _czech(number: str) -> bool:
    return int(number) % 11 == 0 and _is_day(number[4:6], number[2:4], month_shifts=(0, 20, 50, 70))


def _portuguese(number: str) -> bool:
    rest = weighted(number[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return int(number[8]) == (0 if rest < 2 else 11 - rest)


def _austrian(number: str) -> bool:
    rest = weighted(number, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11
    return rest == int(number[3]) and _is_day(number[4:6], number[6:8], month_shifts=(0, 1, 2, 3))


def _swiss(number: str) -> bool:
    return -weighted(number, (1, 3) * 6) % 10 == int(number[12])


def _brazilian(number: str) -> bool:
    first = weighted(number[:9], tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = weighted(number[:10], tuple(range(11, 1, -1))) * 10 % 11 % 10
    return len(set(number)) > 1 and number[9:] == f"{first}{second}"


def _turkish(number: str) -> bool:
    odd, even = sum(map(int, number[:9:2])), sum(map(int, number[1:8:2]))
    return (7 * odd - even) % 10 == int(number[9]) and sum(map(int, number[:10])) % 10 == int(number[10])


def _chinese(number: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return "10X98765432"[weighted(number[:17], weights) % 11] == number[17] and _is_day(number[12:14], number[10:12])


def _south_african(number: str) -> bool:
    return luhn(number) and _is_day(number[4:6], number[2:4])


def _irish(number: str) -> bool:
    second = ord(number[8]) - 64 if len(number) > 8 else 0
    return _PPS[(weighted(number[:7], (8, 7, 6, 5, 4, 3, 2)) + 9 * second) % 23] == number[7]


def _romanian(number: str) -> bool:
    rest = weighted(number[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return int(number[12]) == (1 if rest == 10 else rest) and _is_day(number[5:7], number[3:5])


def _greek(number: str) -> bool:
    return luhn(number) and _is_day(number[:2], number[2:4])


def _german_date(number: str) -> bool:
    return _is_day(number[:2], number[2:4])


@dataclass(frozen=True)
class NumberForm:
    """A kind of number: what it is called, how it is written, and its check, if it has one.

    raw      the form in which it has to be written; nothing: with or without separators
    pattern  the form without separators
    length   digits, for numbers that have lost their leading zeros; 0 if it is not made of digits alone
    """

    title: str
    pattern: str
    check: Callable[[str], bool] | None = None
    raw: str = ""
    length: int = 0

    def fits(self, text: str) -> bool:
        """Whether a text is such a number, check digits included."""
        if self.raw and re.fullmatch(self.raw, text, re.IGNORECASE) is None:
            return False
        number = compact(text)
        return re.fullmatch(self.pattern, number) is not None and (self.check is None or self.check(number))


_US = r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}"
_DDMM = r"(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])"
NUMBERS = (
    NumberForm("US social security numbers", r"\d{9}", raw=_US),
    NumberForm("German tax numbers", r"[1-9]\d{10}", _german_tax),
    NumberForm("German pension insurance numbers", r"\d{8}[A-Z]\d{3}", _german_pension),
    NumberForm("French social security numbers", r"[1-478]\d{4}(\d\d|2A|2B)\d{8}", _french),
    NumberForm("Italian tax codes", r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", _italian),
    NumberForm("Spanish identity numbers", r"[XYZ\d]\d{7}[A-Z]", _spanish),
    NumberForm("Norwegian personal numbers", r"\d{11}", _norwegian, length=11),
    NumberForm("Polish personal numbers", r"\d{11}", _polish, length=11),
    NumberForm("Brazilian taxpayer numbers", r"\d{11}", _brazilian, length=11),
    NumberForm("Turkish identity numbers", r"[1-9]\d{10}", _turkish),
    NumberForm("Belgian national numbers", r"\d{11}", _belgian, length=11),
    NumberForm("Greek social security numbers", r"\d{11}", _greek, length=11),
    NumberForm("Swedish personal numbers", r"(\d\d)?\d{6}\+?\d{4}", _swedish, length=10),
    NumberForm(
        "Finnish personal numbers", r"\d{6}[-+A-FU-Y]?\d{3}[0-9A-Y]", _finnish, raw=r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]"
    ),
    NumberForm("Austrian social insurance numbers", r"\d{10}", _austrian),
    NumberForm("Czech or Slovak birth numbers", r"\d{10}", _czech, length=10),
    NumberForm("NHS numbers", r"\d{10}", _nhs),
    NumberForm("Danish personal numbers", r"\d{10}", _german_date, raw=_DDMM + r"\d\d-\d{4}"),
    NumberForm("Dutch citizen service numbers", r"\d{9}", _dutch, length=9),
    NumberForm("Portuguese tax numbers", r"[1-35689]\d{8}", _portuguese),
    NumberForm("Canadian social insurance numbers", r"[1-79]\d{8}", luhn, raw=r"\d{3}[ -]\d{3}[ -]\d{3}"),
    NumberForm(
        "British national insurance numbers", r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]"
    ),
    NumberForm("Irish PPS numbers", r"\d{7}[A-W][A-IW]?", _irish),
    NumberForm("Swiss social insurance numbers", r"756\d{10}", _swiss),
    NumberForm("Romanian personal numbers", r"[1-9]\d{12}", _romanian),
    NumberForm("South African identity numbers", r"\d{10}[01]\d\d", _south_african),
    NumberForm("Chinese identity numbers", r"[1-9]\d{16}[\dX]", _chinese),
    NumberForm("Mexican population registry codes", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d"),
    NumberForm("bank accounts (IBAN)", r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", mod_97),
    NumberForm("payment cards", r"3[47]\d{13}|[2-6]\d{12}(\d{3}(\d{3})?)?", luhn),
    NumberForm("device numbers (IMEI)", r"\d{15}", luhn),
)
