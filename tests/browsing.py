# SPDX-License-Identifier: Apache-2.0
"""How the tests open a page in a browser."""

import time

LONG = 180_000  # milliseconds
SMALL, PHONE, DESKTOP = ({"width": w, "height": h} for w, h in ((320, 640), (390, 844), (1200, 900)))
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Contrast by WCAG 2: of each piece of text against the nearest ground behind it.
CONTRAST = """() => {
  const channels = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = channels(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.textContent.trim() || ["TITLE", "DESC", "STYLE"].includes(e.tagName.toUpperCase())) continue;
    const inSvg = e.namespaceURI.endsWith("svg");
    const a = light(channels(inSvg ? getComputedStyle(e).fill : getComputedStyle(e).color));
    const b = light(ground(e));
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""

# Text that is cut off at the edge of a chart or picture, or shortened.
CUT_OFF = """() => [...document.querySelectorAll(".chart, .plot")].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  return [...chart.querySelectorAll("svg text, span.label, span.value")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1;
  }).map((text) => text.textContent);
})"""

# The smallest text in charts and pictures, in pixels.
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".chart span, .plot svg text")]
  .map((text) => parseFloat(getComputedStyle(text).fontSize)))"""

# Every picture is drawn. They are drawn one after the other, and a frame comes before its marks.
_DRAWN = "[...document.querySelectorAll('.plot')].every((e) => e.querySelector('svg .role-mark > *'))"


def new_page(browser, viewport, color_scheme="light"):
    """An empty page, which waits as long as a busy machine may take."""
    opened = browser.new_page(viewport=viewport, color_scheme=color_scheme)
    opened.set_default_timeout(LONG)
    return opened


def watched(browser, path, viewport, color_scheme="light"):
    """The page of a file, opened; with what it asked for (`asked`) and complained about (`complaints`)."""
    opened = new_page(browser, viewport, color_scheme)
    opened.asked, opened.complaints = [], []
    opened.on("request", lambda asked: opened.asked.append(asked.url))
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.goto(path.as_uri())
    return opened


def drawn(page):
    """The page once all its pictures are drawn. The policy of the pages forbids what `wait_for_function` does."""
    ends = time.monotonic() + LONG / 1000
    while not page.evaluate(_DRAWN):
        assert time.monotonic() < ends, "a picture was not drawn"
        page.wait_for_timeout(20)
    return page
