# SPDX-License-Identifier: Apache-2.0
"""The calibration as a picture: for each method the AUC that each protocol reports, with its interval."""

from __future__ import annotations

from benchmarks.calibration.study import CLASSIFIER, Line, protocols_of

COLOURS = {"holdout": "#0072b2", "recoded": "#009e73", "as-published": "#d55e00"}  # told apart by all eyes
_LEFT, _RIGHT, _STEP, _TOP = 250, 700, 30, 74
_LOW, _HIGH = 0.3, 1.0


def picture(chosen: list[Line], sets: int) -> str:
    """An SVG with a line for each method; a sign says the same as each colour."""
    names = list(dict.fromkeys((line.shape, line.guided, line.name) for line in chosen))
    blocks = [("table", True), ("baskets", True), ("table", False), ("baskets", False)]
    titles = {True: "labels guide the method", False: "labels do not"}
    height = _TOP + _STEP * (len(names) + len(blocks)) + 40
    said = "; ".join(
        f"{name} on {shape}: "
        + ", ".join(f"{line.protocol} {line.mean:.2f}" for line in chosen if (line.shape, line.name) == (shape, name))
        for shape, _, name in names
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img" font-size="13"'
        ' font-family="sans-serif">',
        f"<title>AUC that three protocols report where labels are random</title><desc>{said}</desc>",
        f'<rect width="720" height="{height}" fill="white"/>',
        f'<text x="14" y="20">AUC of {CLASSIFIER} on random labels, mean of {sets} data sets (truth: one half)</text>',
    ]
    for place, protocol in enumerate(COLOURS):
        parts.append(_sign(protocol, _LEFT + 5 + 130 * place, 42))
        parts.append(f'<text x="{_LEFT + 17 + 130 * place}" y="46">{protocol}</text>')
    bottom = height - 34
    for tenth in range(3, 11):
        x = _x(tenth / 10)
        colour, width = ("#444", 1.5) if tenth == 5 else ("#ddd", 1)
        parts.append(f'<path d="M{x} {_TOP - 12}V{bottom}" stroke="{colour}" stroke-width="{width}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{tenth / 10:.1f}</text>')
    y = _TOP
    for shape, guided in blocks:
        mine = [name for its, is_guided, name in names if (its, is_guided) == (shape, guided)]
        parts.append(f'<text x="14" y="{y + 5}" font-weight="bold">{shape}, {titles[guided]}</text>')
        y += _STEP
        for name in mine:
            parts.append(f'<text x="{_LEFT - 12}" y="{y + 5}" text-anchor="end">{name}</text>')
            for offset, protocol in zip((-7, 0, 7), protocols_of(shape), strict=False):
                (line,) = [c for c in chosen if (c.shape, c.name, c.protocol) == (shape, name, protocol)]
                ends = f"M{_x(line.low)} {y + offset}H{_x(line.high)}"
                parts.append(f'<path d="{ends}" stroke="{COLOURS[protocol]}" stroke-width="1.5"/>')
                parts.append(_sign(protocol, _x(line.mean), y + offset))
            y += _STEP
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(auc: float) -> float:
    share = (min(max(auc, _LOW), _HIGH) - _LOW) / (_HIGH - _LOW)
    return round(_LEFT + (_RIGHT - _LEFT) * share, 1)


def _sign(protocol: str, x: float, y: float) -> str:
    colour = COLOURS[protocol]
    if protocol == "holdout":
        return f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>'
    if protocol == "recoded":
        return f'<rect x="{x - 3.5}" y="{y - 3.5}" width="7" height="7" fill="{colour}"/>'
    return f'<path d="M{x} {y - 5}L{x + 5} {y}L{x} {y + 5}L{x - 5} {y}Z" fill="{colour}"/>'
