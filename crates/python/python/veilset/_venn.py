"""The sizes of a run as two circles, in proportion, in the colour of the text around them."""

from __future__ import annotations

from html import escape
from math import acos, pi, sqrt

#: The radius of the larger circle, the centre of the first, and the height of the picture.
LARGEST = 80.0
LEFT = 100.0
HEIGHT = 210

#: Between the circles of sets that share nothing.
PARTED = 24.0

#: Half the width of a name with its number.
ASIDE = 42.0


def venn(operation: str, own: int, peer: int, matches: int | None) -> str:
    """Two circles as an inline SVG: areas in proportion to the sets, their overlap to the matches, if they are known."""
    radii = [LARGEST * sqrt(size / max(own, peer, 1)) for size in (own, peer)]
    gap = _distance(radii[0], radii[1], own, peer, matches)
    left, right = LEFT, LEFT + gap
    both = "the number of matches is not yours to know"
    if matches is not None:
        both = f"both have {matches:,}"
    text = f"{operation}: you have {own:,} keys, the peer has {peer:,}; {both}."
    middle = "?" if matches is None else f"{matches:,}"
    # Between the sides of the overlap, or of the gap; names stand beside that.
    between = (max(left - radii[0], right - radii[1]) + min(left + radii[0], right + radii[1])) / 2
    names = (min(left, between - ASIDE), max(right, between + ASIDE))
    width = round(max(right + radii[1], left + radii[0], names[1] + ASIDE)) + 10
    return f"""<svg role="img" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" \
viewBox="0 0 {width} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13" text-anchor="middle" \
style="max-width:100%">
<title>{escape(text)}</title>
<g stroke="currentColor" stroke-width="1.5" fill-opacity="0.35">
<circle cx="{left:.1f}" cy="120" r="{radii[0]:.1f}" fill="#3b82f6"/>
<circle cx="{right:.1f}" cy="120" r="{radii[1]:.1f}" fill="#f59e0b"/>
</g>
<g fill="currentColor" aria-hidden="true">
<text x="{names[0]:.1f}" y="16">you</text><text x="{names[0]:.1f}" y="32">{own:,}</text>
<text x="{names[1]:.1f}" y="16">the peer</text>\
<text x="{names[1]:.1f}" y="32">{peer:,}</text>
<text x="{between:.1f}" y="125" font-size="16" font-weight="600">{middle}</text>
</g>
</svg>"""


def _distance(first: float, second: float, own: int, peer: int, matches: int | None) -> float:
    """Between the centres; without matches a sketch in which the circles overlap by a third of the smaller one."""
    touching = first + second
    if matches is None:
        return touching - min(first, second) * 2 / 3
    if not matches:
        return touching + PARTED
    # The overlap's area shrinks as the centres part, so halving the interval finds it.
    wanted = matches / max(own, peer) * pi * LARGEST**2
    near, far = abs(first - second), touching
    for _ in range(40):
        middle = (near + far) / 2
        near, far = (middle, far) if _lens(first, second, middle) > wanted else (near, middle)
    return near


def _lens(first: float, second: float, apart: float) -> float:
    """The area that two circles share whose centres are so far apart that neither holds the other."""
    if apart <= abs(first - second):
        return pi * min(first, second) ** 2

    def segment(radius: float, other: float) -> float:
        half = (apart**2 + radius**2 - other**2) / (2 * apart)
        half = max(-radius, min(radius, half))
        return radius**2 * acos(half / radius) - half * sqrt(max(0.0, radius**2 - half**2))

    return segment(first, second) + segment(second, first)
