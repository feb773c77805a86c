# SPDX-License-Identifier: Apache-2.0
"""How a text file is encoded. UTF-8 shows by itself; of other bytes, many encodings make some text of any of them.

So what is not UTF-8 is read as Windows-1252 only if its letters look like words of Western languages, and in an
encoding of East Asia only if one alone makes common characters of nearly all bytes. Otherwise the owner is asked. A
file most of whose lines are UTF-8 is read as such, and bytes of it that are not, each by itself, as Windows-1252.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from discreet.data.held_file import Source, open_bytes
from discreet.errors import DataError, Setting, quietly

_MARKS_OF_ORDER = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
SAMPLE = 1 << 18  # bytes of the beginning of a file; if there are fewer, they are all of it
_BLOCK, _ENOUGH = 1 << 22, 1 << 17  # bytes read at a time, and bytes of lines by which an encoding is judged
_LONGEST_LINE = 1 << 26
_HIGH = re.compile(rb"[\x80-\xff]")
_WORD = re.compile(rb"[A-Za-z\x81-\x9f\xa1-\xff]{2,}")  # without the euro, and the no-break space
_FEWEST = 4  # high bytes; fewer show nothing
_DENSE = 0.6  # high bytes among those of the words that have one: a fifth or so in Western languages
_COMMON = 0.95  # of the characters
_EASTERN = {  # encodings of East Asia, and the first bytes of their common characters
    "cp932": (*range(0x81, 0x84), *range(0x88, 0x98)),
    "euc_jp": (*range(0xA1, 0xA6), *range(0xB0, 0xD0)),
    "gb18030": (*range(0xA1, 0xA4), *range(0xB0, 0xD8)),
    "big5": range(0xA1, 0xC7),
    "cp949": (*range(0xA1, 0xA4), *range(0xB0, 0xC9)),
}
_NOT_WESTERN = re.compile(  # marks inside words, where Windows-1252 has none but other encodings have letters
    "[a-zà-ÿ][¹³¿¶][a-zà-ÿ]|[áíóýìø][¹³]|[a-zà-ÿ][¼¾]|[£¥¯][a-zà-ÿ]{2}|[A-Za-z][\u201a\u201e\u2020\u2021\u2030\u2039\u201dŸŠŽŒ][a-z]"
)
_TURKISH = re.compile("(?<=[A-Za-zÇÖÜçöü])[ðþýÐÞÝ]")  # letters of Iceland in Windows-1252: ğ, ş, ı, Ğ, Ş, İ in Turkish
_NOT_TURKISH = re.compile("[ÁÄÅÆÉÍÑÓÚßàáäåæèéêíñóøú]")  # and those of languages that write names of Iceland


MIXED = "utf-8 or cp1252"  # an encoding of this module: bytes that are not UTF-8 are Windows-1252


def _western(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    odd = error.object[error.start : error.end]
    text, _ = quietly(odd.decode, "cp1252", errors=(UnicodeDecodeError,))
    return text if text is not None else odd.decode("latin-1"), error.end


class _MixedDecoder(codecs.BufferedIncrementalDecoder):
    def _buffer_decode(self, input: Any, errors: str, final: bool) -> tuple[str, int]:
        return codecs.utf_8_decode(input, "discreet.western", final)


def _find_mixed(name: str) -> codecs.CodecInfo | None:
    if name.replace(" ", "_").replace("-", "_") != MIXED.replace(" ", "_").replace("-", "_"):
        return None
    return codecs.CodecInfo(
        lambda text, errors="strict": codecs.utf_8_encode(text, errors),
        lambda raw, errors="strict": codecs.utf_8_decode(raw, "discreet.western", True),
        incrementalencoder=codecs.getincrementalencoder("utf-8"),
        incrementaldecoder=_MixedDecoder,
        name=MIXED,
    )


codecs.register_error("discreet.western", _western)
codecs.register(_find_mixed)


def possible_encodings(path: Source, head: bytes) -> list[str]:
    """The encodings that a file with this beginning may have, the first one first; DataError if nobody can tell."""
    for mark, codec in _MARKS_OF_ORDER.items():
        if head.startswith(mark):
            return [codec]
    if b"\x00" in re.split(rb"[\r\n]", head.lstrip(), maxsplit=1)[0]:  # UTF-16 has them in every line
        if (found := _without_mark(head)) is not None:
            return [found]
        raise DataError(
            f"{path.name!r} holds zero bytes: it is not a text table. Pass a CSV or Parquet file, or the encoding."
        )
    text, _ = quietly(codecs.getincrementaldecoder("utf-8")().decode, head, errors=(UnicodeDecodeError,))
    if text is not None:
        return ["utf-8"]
    lines = _lines_with_high_bytes([_whole_lines(head)])
    return [_judged(path, lines) if lines else encoding_if_not_utf8(path)]


def encoding_if_not_utf8(path: Source) -> str:
    """The encoding of a file that is UTF-8 in its beginning only."""
    with open_bytes(path) as stream:
        return _judged(path, _lines_with_high_bytes(iter(lambda: stream.read(_BLOCK), b"")))


def _without_mark(head: bytes) -> str | None:
    """UTF-16 without a byte-order mark: every second byte of the first line is zero, and no other is."""
    first = head[:1024]
    zeros = [sum(byte == 0 for byte in first[start::2]) for start in (0, 1)]
    if min(zeros) or max(zeros) < len(first) // 2 * 0.8:
        return None
    return "utf-16-le" if zeros[1] else "utf-16-be"


def _whole_lines(head: bytes) -> bytes:
    """The beginning of a file without a last line that may be cut off, within a character even."""
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    return head if len(head) < SAMPLE or end < 0 else head[:end]


def _lines_with_high_bytes(blocks: Iterable[bytes]) -> list[bytes]:
    """Enough lines to judge by; what follows the last line end of a block is read on in the next one."""
    found: list[bytes] = []
    size, rest = 0, b""
    for block in blocks:
        *lines, rest = re.split(rb"[\r\n]+", rest + block)
        high = [line for line in lines if _HIGH.search(line)]
        found += high
        size += sum(map(len, high))
        if size > _ENOUGH:
            return found
        if len(rest) > _LONGEST_LINE:
            break
    return [*found, rest] if _HIGH.search(rest) else found


def _judged(path: Source, lines: list[bytes]) -> str:
    text = b"\n".join(lines)
    good = sum(quietly(line.decode, "utf-8", errors=(UnicodeDecodeError,))[0] is not None for line in lines)
    dense = _is_dense(text)
    eastern = [codec for codec in _EASTERN if dense and _makes_common_characters(text, codec)]
    if len(eastern) == 1:
        return eastern[0]
    western, _ = quietly(text.decode, "cp1252", errors=(UnicodeDecodeError,))
    if 2 * good >= len(lines) and not eastern:
        return MIXED
    turkish = western is not None and not dense and _is_turkish(western)
    if western is not None and not dense and not turkish and not _NOT_WESTERN.search(western):
        return "iso8859-15" if "¤" in western and not re.search(rb"[\x80-\x9f]", text) else "cp1252"
    central = ["cp1250", "iso8859-2", "mac_roman", "cp850"]
    likely = eastern or (["cp1251", "koi8-r", "cp1253"] if dense else ["cp1254", *central] if turkish else central)
    raise DataError(
        f"How {path.name!r} is encoded cannot be told: it is not UTF-8, and in Windows-1252 its letters make no words."
        " Say it: ",
        Setting("encoding", likely[0]),
        f" ({_LANGUAGES[likely[0]]}), {', '.join(f'{codec} ({_LANGUAGES[codec]})' for codec in likely[1:])}",
        ", or another one.",
    )


_LANGUAGES = {
    "cp1250": "Polish, Czech and others in Windows",
    "cp1251": "Russian and others in Windows",
    "cp1254": "Turkish in Windows",
    "iso8859-2": "Polish, Czech and others in Unix",
    "koi8-r": "Russian in Unix",
    "cp1253": "Greek in Windows",
    "mac_roman": "an old Macintosh",
    "cp850": "DOS",
    "cp932": "Japanese, Shift-JIS",
    "euc_jp": "Japanese, EUC",
    "gb18030": "Chinese, GB",
    "big5": "Chinese, Big5",
    "cp949": "Korean",
}


def _is_dense(text: bytes) -> bool:
    """Whether words with letters beyond A to Z consist of little else."""
    words = [word for word in _WORD.findall(text) if _HIGH.search(word)]
    high = sum(len(_HIGH.findall(word)) for word in words)
    return high >= _FEWEST and high > _DENSE * sum(map(len, words))


def _is_turkish(western: str) -> bool:
    """Whether letters of Iceland occur without the others that are as frequent there."""
    return len(_TURKISH.findall(western)) > 4 * len(_NOT_TURKISH.findall(western))


def _makes_common_characters(text: bytes, codec: str) -> bool:
    decoded, _ = quietly(text.decode, codec, errors=(UnicodeDecodeError,))
    signs = [sign for sign in decoded or "" if not sign.isascii()]
    common = sum(_is_common(sign, codec) for sign in signs)
    kana = sum("\u3041" <= sign <= "\u30fe" for sign in signs)
    if kana and codec in ("gb18030", "big5", "cp949"):  # which have them too, but nobody there writes with them
        return False
    return bool(signs) and common >= _COMMON * len(signs)


@cache
def _is_common(sign: str, codec: str) -> bool:
    code = sign.encode(codec)
    return len(code) == 2 and code[0] in _EASTERN[codec] and (codec in ("cp932", "big5") or code[1] >= 0xA1)
