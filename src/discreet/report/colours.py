# SPDX-License-Identifier: Apache-2.0
"""Colours of plots and pages: those of Okabe and Ito, which colour-blind people can tell apart, each with a shape."""

from __future__ import annotations

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#4d5a66"]
SHAPES = ["circle", "diamond", "square", "triangle-up", "triangle-down", "cross"]
LIGHTER = {  # colours on a dark ground, by those on a light one
    "#1c2530": "#e7ebee",
    "#4d5a66": "#b0bac3",
    "#d7dde2": "#3b454e",
    "#0072b2": "#56a9dd",
    "#d55e00": "#f08a3c",
    "#009e73": "#2fbf93",
    "#cc79a7": "#dd93bb",
    "#8a6d00": "#cdaa2f",
}
INK, SOFT, LINE = "#1c2530", "#4d5a66", "#d7dde2"
