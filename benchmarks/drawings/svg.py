# SPDX-License-Identifier: Apache-2.0
"""Small SVG pictures that follow the theme of the page they stand in, or of the system if they stand alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

Box = tuple[float, float, float, float]  # left, right, bottom, top

_LIGHT = "--ink:#1f2328;--faint:#6e7781;--line:#d0d7de;--a:#0b5cad;--b:#b35900;--fill-a:#cfe3f7;--fill-b:#fbe3c8"
_DARK = "--ink:#e6edf3;--faint:#a9b4bf;--line:#444c56;--a:#79b8ff;--b:#ffab70;--fill-a:#17395c;--fill-b:#54350f"
_STYLE = (
    f"<style>svg.drawn{{{_LIGHT}}}@media (prefers-color-scheme:dark){{svg.drawn{{{_DARK}}}}}"
    "svg.drawn text{fill:var(--ink)}svg.drawn .f{fill:var(--faint)}svg.drawn .a{fill:var(--a)}"
    "svg.drawn .b{fill:var(--b)}svg.drawn .p{fill:var(--fill-a)}svg.drawn .q{fill:var(--fill-b)}"
    "svg.drawn .l{stroke:var(--line);fill:none}svg.drawn .s{stroke:var(--a);fill:var(--fill-a);fill-opacity:.45}"
    "svg.drawn .o{stroke:var(--b);fill:none;stroke-width:1.6}svg.drawn .i{stroke:var(--ink);fill:none}</style>"
)


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def picture(title: str, parts: Iterable[str], *, width: int = 640, height: int = 300) -> str:
    """A whole picture; its title is what a screen reader says where it stands alone."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" class="drawn"'
    head += ' font-family="sans-serif" font-size="13">'
    return "\n".join([head, f"<title>{escape(title)}</title>", _STYLE, *parts, "</svg>"]) + "\n"


def text(x: float, y: float, said: object, *, at: str = "start", kind: str = "", size: int = 0) -> str:
    more = (f' class="{kind}"' if kind else "") + (f' font-size="{size}"' if size else "")
    anchor = "" if at == "start" else f' text-anchor="{at}"'
    return f'<text x="{number(x)}" y="{number(y)}"{anchor}{more}>{escape(str(said))}</text>'


def rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size} class="{kind}"/>'


def line(points: Sequence[tuple[float, float]], kind: str, *, dashes: bool = False) -> str:
    path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    dashed = ' stroke-dasharray="5 4"' if dashes else ""
    return f'<polyline points="{path}" class="{kind}"{dashed}/>'


class Plane:
    """Two scales of numbers, in a frame: places of the data become places of the picture."""

    def __init__(self, across: tuple[float, float], up: tuple[float, float], *, frame: Box = (60, 620, 255, 30)):
        self.across, self.up, self.frame = across, up, frame

    def x(self, value: float) -> float:
        low, high = self.across
        return self.frame[0] + (value - low) / (high - low) * (self.frame[1] - self.frame[0])

    def y(self, value: float) -> float:
        low, high = self.up
        return self.frame[2] - (value - low) / (high - low) * (self.frame[2] - self.frame[3])

    def axes(self, across: str, up: str, xs: Iterable[float], ys: Iterable[float]) -> list[str]:
        left, right, bottom, top = self.frame
        parts = [line([(left, top), (left, bottom), (right, bottom)], "i")]
        parts += [text(self.x(one), bottom + 17, f"{one:g}", at="middle", kind="f", size=11) for one in xs]
        parts += [text(left - 7, self.y(one) + 4, f"{one:g}", at="end", kind="f", size=11) for one in ys]
        parts += [text((left + right) / 2, bottom + 35, across, at="middle"), text(10, top - 10, up)]
        return parts

    def box(self, box: Box, kind: str = "s") -> str:
        left, right, bottom, top = box
        return rect(self.x(left), self.y(top), self.x(right) - self.x(left), self.y(bottom) - self.y(top), kind)

    def dot(self, x: float, y: float, *, second: bool = False) -> str:
        """A filled dot, or, of the second kind, a ring: told apart without colour."""
        place = f'cx="{number(self.x(x))}" cy="{number(self.y(y))}"'
        return f'<circle {place} r="4" class="o"/>' if second else f'<circle {place} r="3.6" class="a"/>'


def legend(x: float, y: float, first: str, second: str) -> list[str]:
    """What filled dots and rings mean."""
    width = 14 + 7 * len(first)
    return [
        f'<circle cx="{number(x)}" cy="{number(y)}" r="3.6" class="a"/>',
        text(x + 9, y + 4, first, size=12),
        f'<circle cx="{number(x + width + 16)}" cy="{number(y)}" r="4" class="o"/>',
        text(x + width + 25, y + 4, second, size=12),
    ]


def bars(rows: Sequence[tuple[str, float, float | None]], *, top: float, left: float = 190, right: float = 560,
         most: float | None = None, form: str = "{:.2f}", names: tuple[str, str] = ("", ""),
         marked: Iterable[str] = ()) -> list[str]:  # fmt: skip
    """Horizontal bars, one or two on a line, with their values; marked ones are of the first colour."""
    largest = most or max(max(a, b or 0) for _, a, b in rows) or 1.0
    parts, chosen, pair = [], set(marked), any(b is not None for _, _, b in rows)
    for place, (name, first, second) in enumerate(rows):
        y = top + place * (34 if pair else 24)
        parts.append(text(left - 10, y + 12, name, at="end", size=12))
        for shift, value, kind in ((0, first, "a"), (15, second, "b")):
            if value is None:
                continue
            fill = kind if not chosen or name in chosen or kind == "b" else "p"
            parts.append(rect(left, y + shift, max((right - left) * value / largest, 1), 13 if pair else 16, fill))
            parts.append(text(left + (right - left) * value / largest + 7, y + shift + 11, form.format(value), size=11))
    if any(names):
        parts += [rect(left, top - 26, 11, 11, "a"), text(left + 16, top - 16, names[0], size=12)]
        at = left + 30 + 7.2 * len(names[0])
        parts += [rect(at, top - 26, 11, 11, "b"), text(at + 16, top - 16, names[1], size=12)]
    return parts


def grid(rows: Sequence[Sequence[int]], names: Sequence[str], kept: Sequence[bool], *, x: float, y: float,
         side: float = 11, changed: Sequence[Sequence[bool]] | None = None) -> list[str]:  # fmt: skip
    """A table of 0 and 1: columns that are not kept are faint, changed cells have a ring."""
    squares: dict[str, list[str]] = {"l": [], "p": [], "a": [], "o": []}
    parts = []
    for column, name in enumerate(names):
        left = x + column * (side + 3)
        parts.append(text(left + side / 2, y - 5, name, at="middle", kind="" if kept[column] else "f", size=10))
        for place, row in enumerate(rows):
            kind = ("a" if kept[column] else "p") if row[column] else "l"
            corner = f"M{number(left)} {number(y + place * (side + 1))}h{number(side)}v{number(side)}h-{number(side)}z"
            squares[kind].append(corner)
            if changed is not None and changed[place][column]:
                squares["o"].append(corner)
    return parts + [f'<path d="{"".join(found)}" class="{kind}"/>' for kind, found in squares.items() if found]
