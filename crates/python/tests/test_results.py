"""What a result shows of itself."""

from __future__ import annotations

import re
from math import pi, sqrt
from xml.etree import ElementTree

import polars
import veilset
from veilset._venn import venn


def circles(svg: str) -> list[tuple[float, float]]:
    """Centre and radius of each circle."""
    root = ElementTree.fromstring(svg)
    found = root.iter("{http://www.w3.org/2000/svg}circle")
    return [(float(c.attrib["cx"]), float(c.attrib["r"])) for c in found]


def overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The area that two circles share, by thin strips."""
    (x, r), (y, s) = first, second
    steps = 20_000
    left, right = max(x - r, y - s), min(x + r, y + s)
    width = max(0.0, right - left) / steps

    def half(at: float, centre: float, radius: float) -> float:
        return sqrt(max(0.0, radius**2 - (at - centre) ** 2))

    strips = (left + (i + 0.5) * width for i in range(steps))
    return sum(2 * min(half(at, x, r), half(at, y, s)) * width for at in strips)


def test_areas_are_in_proportion() -> None:
    for own, peer, matches in ((100, 100, 50), (1000, 250, 100), (10, 400, 10), (7, 7, 7)):
        first, second = circles(venn("count", own, peer, matches))
        unit = pi * first[1] ** 2 / own
        assert abs(pi * second[1] ** 2 / unit - peer) < 0.02 * peer
        assert abs(overlap(first, second) / unit - matches) < 0.03 * max(own, peer)
    first, second = circles(venn("count", 5, 6, 0))
    assert overlap(first, second) == 0
    assert len(circles(venn("count", 0, 0, 0))) == 2


def test_html_says_in_words_what_it_draws() -> None:
    frame = polars.DataFrame({"k": ["a", "b", "c"]})
    a, b = veilset.run_local(
        "count", frame, polars.DataFrame({"k": ["c", "d"]}), on="k", learn="me"
    )
    page = a._repr_html_()
    picture = re.search(r"<svg.*?</svg>", page, re.DOTALL)
    assert picture is not None
    title = ElementTree.fromstring(picture.group()).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "count: you have 3 keys, the peer has 2; both have 1."
    assert 'role="img"' in page and a.learned in page
    assert "not yours to know" in b._repr_html_() and "not yours to know" in repr(b)
    assert repr(a) == f"<veilset count by {a.protocol}: 1 of your 3 keys match>"


def test_names_from_elsewhere_are_escaped() -> None:
    root = ElementTree.fromstring(venn("<b>&", 1, 1, None))
    assert "<b>&" in "".join(root.itertext())
