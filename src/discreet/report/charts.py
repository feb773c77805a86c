# SPDX-License-Identifier: Apache-2.0
"""Charts for notebooks: a Vega-Lite specification that JupyterLab draws by itself, and an SVG for everything else.

The SVG is drawn by vl-convert (extra "plots"); without it, a notebook that knows no Vega-Lite shows the chart in words.
The ground is white, so that the ink can be read on a dark page, too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from discreet.errors import DataError, quietly, shown
from discreet.foundation.atomic_files import write_whole
from discreet.report.colours import COLOURS
from discreet.report.files import to_pictures
from discreet.report.plots import Spec, spec

VEGA_LITE = "application/vnd.vegalite.v5+json"
_WIDTH = 620
_MOST_BINS = 12


class Chart:
    """One chart: `spec` is the specification, `description` says it in words."""

    def __init__(self, title: str, drawn: Spec):
        self.title = title
        parts = {name: part for name, part in drawn.items() if name != "autosize"}
        self.spec: Spec = parts | {"width": _WIDTH, "background": "white", "title": title}

    @property
    def description(self) -> str:
        return str(self.spec.get("description", ""))

    def __repr__(self) -> str:
        return f"Chart({self.title}. {self.description})"

    def svg(self) -> str:
        """The chart as SVG; needs the extra "plots"."""
        (content,) = to_pictures([{"title": self.title, "spec": self.spec}], "svg").values()
        return content.decode()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the chart as .svg or .png, or its specification as .json."""
        path = Path(path)
        if path.suffix == ".json":
            content = json.dumps(self.spec, indent=1).encode()
        elif path.suffix in (".svg", ".png"):
            (content,) = to_pictures([{"title": self.title, "spec": self.spec}], path.suffix[1:]).values()
        else:
            raise DataError(f"A chart is written as .svg, .png or .json; {shown(path.name)} ends otherwise.")
        write_whole(path, content)
        return path

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """As notebooks show it."""
        bundle: dict[str, Any] = {VEGA_LITE: self.spec, "text/plain": repr(self)}
        svg, failure = quietly(self.svg, errors=(DataError,))
        return bundle if failure else bundle | {"image/svg+xml": svg}


def groups_plot(sizes: list[tuple[int, int, int]], counted: str) -> Spec:
    """Bars with the rows in groups of each size, from (fewest, most, rows) of each bin."""
    bins = [one for one in sizes if one[2]]
    if len(bins) > _MOST_BINS:
        low = bins[_MOST_BINS - 1][0]
        bins = [*bins[: _MOST_BINS - 1], (low, 0, sum(rows for fewest, _, rows in bins if fewest >= low))]
    values = [{"size": _words(low, high), "rows": rows} for low, high, rows in bins]
    x = {"field": "rows", "type": "quantitative", "title": "rows", "axis": {"tickCount": 6, "format": "~s"}}
    y = {"field": "size", "type": "nominal", "sort": None, "title": f"{counted} in the group"}
    layer = {
        "mark": {"type": "bar", "color": COLOURS[0]},
        "encoding": {"x": x, "y": y, "tooltip": [{"field": "size"}, {"field": "rows"}]},
    }
    words = "; ".join(f"{value['size']}: {value['rows']} rows" for value in values)
    return spec(
        f"Rows in groups of each size, counted in {counted}. {words}.", values, layer=[layer], height={"step": 26}
    )


def _words(low: int, high: int) -> str:
    return f"{low} or more" if not high else f"{low}" if high == low else f"{low} to {high}"
