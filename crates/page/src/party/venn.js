// Two circles whose areas, and that of what they share, are as the numbers are.

import { make } from "./dom.js";
import { draw, figure, short } from "./svg.js";
import { number } from "./words.js";

const WIDTH = 360;
const HEIGHT = 250;
const TOP = 34;
const ROOM = 168;
const WIDEST = 330;
// Smaller than this a circle is not seen; the words under the picture say so then.
const LEAST = 3;

// The area that two circles share whose centres are `d` apart.
function lens(r, s, d) {
  if (d >= r + s) return 0;
  if (d <= Math.abs(r - s)) return Math.PI * Math.min(r, s) ** 2;
  const a = (d * d + r * r - s * s) / (2 * d);
  const b = d - a;
  const part = (radius, at) =>
    radius * radius * Math.acos(at / radius) - at * Math.sqrt(Math.max(0, radius * radius - at * at));
  return part(r, a) + part(s, b);
}

// How far apart the centres are, found by halving.
export function distance(r, s, area) {
  let [near, far] = [Math.abs(r - s), r + s];
  if (area <= 0) return far;
  if (area >= Math.PI * Math.min(r, s) ** 2 - 1e-9) return near;
  for (let step = 0; step < 60; step += 1) {
    const middle = (near + far) / 2;
    if (lens(r, s, middle) > area) near = middle;
    else far = middle;
  }
  return (near + far) / 2;
}

// Radii and centres, as large as there is room.
export function layout(own, peer, common) {
  const known = common !== null && common !== undefined;
  const [a, b] = [Math.sqrt(own / Math.PI), Math.sqrt(peer / Math.PI)];
  const gap = known && common > 0 ? 0 : 0.12 * Math.max(a, b);
  const apart = known ? distance(a, b, common) + gap : a + b + gap;
  const left = Math.min(-a, apart - b);
  const right = Math.max(a, apart + b);
  const scale = Math.min(WIDEST / (right - left || 1), ROOM / (2 * Math.max(a, b) || 1));
  const start = (WIDTH - (right - left) * scale) / 2 - left * scale;
  const middle = TOP + ROOM / 2;
  return {
    own: { x: start, y: middle, r: Math.max(LEAST, a * scale) },
    peer: { x: start + apart * scale, y: middle, r: Math.max(LEAST, b * scale) },
    isSmall: Math.min(a, b) * scale < LEAST,
  };
}

// The circle that lies in the other one, if one does.
function within({ own, peer }) {
  const inner = own.r < peer.r ? own : peer;
  return peer.x - own.x <= Math.abs(own.r - peer.r) + 1e-6 ? inner : null;
}

// How far from the own centre the two rims cross, and how far above and below the line of centres.
function crossing({ own, peer }) {
  const d = peer.x - own.x;
  const a = (d * d + own.r ** 2 - peer.r ** 2) / (2 * d);
  return { d, a, h: Math.sqrt(Math.max(0, own.r ** 2 - a * a)) };
}

// Where what is shared is lowest.
function lowest(place) {
  const inner = within(place);
  if (inner) return { x: inner.x, y: inner.y + inner.r };
  const { a, h } = crossing(place);
  return { x: place.own.x + a, y: place.own.y + h };
}

// The outline of what both circles share.
function shared(place) {
  const inner = within(place);
  if (inner) return draw("circle", { cx: inner.x, cy: inner.y, r: inner.r, class: "common" });
  const { own, peer } = place;
  const { d, a, h } = crossing(place);
  const [x, top, bottom] = [own.x + a, own.y - h, own.y + h];
  // Beyond the middle of a circle its arc is the longer one.
  const [far, close] = [a < 0 ? 1 : 0, d - a < 0 ? 1 : 0];
  const rim = (r, large, y) => `A ${r} ${r} 0 ${large} 1 ${x} ${y}`;
  return draw("path", { d: `M ${x} ${top} ${rim(own.r, far, bottom)} ${rim(peer.r, close, top)} Z`, class: "common" });
}

const swatch = (kind) => make("span", { class: `swatch ${kind}`, "aria-hidden": "true" });

function twin(rows) {
  const line = ([kind, words, value]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, swatch(kind), words),
      make("td", {}, value === null ? "not shown to you" : number(value)),
    );
  return make(
    "table",
    { class: "twin" },
    make("caption", { class: "unseen" }, "The numbers of the picture"),
    make("tbody", {}, rows.map(line)),
  );
}

function sentence(own, peer, common, name) {
  if (common === null)
    return `Your list has ${number(own)} entries, ${name}’s has ${number(peer)}. How many are on both is not shown to you.`;
  return `Your list has ${number(own)} entries, ${name}’s has ${number(peer)}, and ${number(common)} are on both.`;
}

export function venn({ own, peer, common: given, name }) {
  const common = given ?? null;
  const place = layout(own, peer, common);
  const circle = ({ x, y, r }, kind) => draw("circle", { cx: x, cy: y, r, class: kind });
  const label = (text, x, y, anchor, kind) => draw("text", { x, y, "text-anchor": anchor, class: kind }, text);
  const inside = [circle(place.own, "own"), circle(place.peer, "peer")];
  if (common) {
    const { own: a, peer: b } = place;
    const foot = lowest(place);
    const middle = Math.min(WIDTH - 60, Math.max(60, foot.x));
    const below = TOP + ROOM + 14;
    inside.push(
      shared(place),
      draw("circle", { cx: a.x, cy: a.y, r: a.r, class: "rim own" }),
      draw("circle", { cx: b.x, cy: b.y, r: b.r, class: "rim peer" }),
      draw("line", { x1: foot.x, y1: foot.y, x2: middle, y2: below, class: "lead-line" }),
      label(`both: ${number(common)}`, middle, below + 17, "middle", "both"),
    );
  } else if (common === null) {
    inside.push(label("On both: not shown to you", WIDTH / 2, HEIGHT - 14, "middle", "quiet"));
  } else {
    inside.push(label("both: 0", WIDTH / 2, HEIGHT - 14, "middle", "both"));
  }
  inside.push(label("You", 6, 18, "start", "who"), label(short(name, 18), WIDTH - 6, 18, "end", "who"));
  const rows = [
    ["own", "On your list", own],
    ["peer", `On ${name}’s list`, peer],
    ["common", "On both", common],
  ];
  return make(
    "figure",
    { class: "venn" },
    figure(WIDTH, HEIGHT, "The two lists as circles", sentence(own, peer, common, name), ...inside),
    make(
      "figcaption",
      { class: "hint" },
      own === 0 && peer === 0
        ? "Both lists are empty: the circles have no areas."
        : place.isSmall
          ? "Areas are as the numbers are, but the smaller list is drawn larger to be seen."
          : "Areas are as the numbers are.",
    ),
    twin(rows),
  );
}
