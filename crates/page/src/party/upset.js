// Several lists: which of them share how much. A line for each group of lists, with a point for each list and a bar.

import { make } from "./dom.js";
import { draw, figure, short } from "./svg.js";
import { joined, number } from "./words.js";

const WIDTH = 360;
const LINE = 26;
const STEP = 24;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const who = (sets, of) => joined(of.map((place) => sets[place].name));

function line({ of, count }, sets, y, start, scale) {
  const points = sets.map((_, place) =>
    draw("circle", {
      cx: 16 + place * STEP,
      cy: y,
      r: of.includes(place) ? 6 : 4,
      class: of.includes(place) ? "in" : "out",
    }),
  );
  const [first, last] = [Math.min(...of), Math.max(...of)];
  const link = draw("line", { x1: 16 + first * STEP, x2: 16 + last * STEP, y1: y, y2: y, class: "link" });
  const width = Math.max(1.5, count * scale);
  return [
    link,
    ...points,
    draw("rect", {
      x: start,
      y: y - 7,
      width,
      height: 14,
      rx: 2,
      class: of.length === sets.length ? "bar all" : "bar",
    }),
    draw("text", { x: start + width + 6, y: y + 4.5, class: "value" }, number(count)),
  ];
}

// `sets` have a name and a number of entries, `shared` the groups: `of` which sets, and how many entries all of these have.
export function upset({ sets, shared }) {
  const lines = [...shared].sort((one, other) => other.of.length - one.of.length || other.count - one.count);
  const start = 16 + sets.length * STEP + 4;
  const most = Math.max(1, ...lines.map(({ count }) => count));
  const scale = (WIDTH - start - 62) / most;
  const height = 34 + lines.length * LINE;
  const heads = sets.map((_, place) =>
    draw("text", { x: 16 + place * STEP, y: 18, "text-anchor": "middle", class: "who" }, LETTERS[place]),
  );
  const words = lines.map(({ of, count }) => `${who(sets, of)}: ${number(count)}`).join("; ");
  const picture = figure(
    WIDTH,
    height,
    `What ${sets.length} lists share`,
    `${words}.`,
    ...heads,
    ...lines.flatMap((each, place) => line(each, sets, 40 + place * LINE, start, scale)),
  );
  const legend = make(
    "ul",
    { class: "letters" },
    sets.map(({ name, distinct }, place) =>
      make("li", {}, make("strong", {}, LETTERS[place]), ` ${short(name, 40)}, ${number(distinct)}`),
    ),
  );
  const rows = lines.map(({ of, count }) =>
    make("tr", {}, make("th", { scope: "row" }, who(sets, of)), make("td", {}, number(count))),
  );
  return make(
    "figure",
    { class: "upset" },
    legend,
    picture,
    make("figcaption", { class: "hint" }, "An entry that is on more lists counts in each line of them, too."),
    make(
      "details",
      {},
      make("summary", {}, "The same as a table"),
      make(
        "table",
        { class: "twin" },
        make(
          "thead",
          {},
          make("tr", {}, make("th", { scope: "col" }, "On all of"), make("th", { scope: "col" }, "Entries")),
        ),
        make("tbody", {}, rows),
      ),
    ),
  );
}
