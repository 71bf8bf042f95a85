// Elements of pictures. All text goes in as text.

import { fresh } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";

export function draw(tag, given = {}, ...inside) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

// A picture that a screen reader names and describes.
export function figure(width, height, title, words, ...inside) {
  const [named, described] = [fresh("title"), fresh("desc")];
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": named, "aria-describedby": described },
    draw("title", { id: named }, title),
    draw("desc", { id: described }, words),
    ...inside,
  );
}

// Text is cut where it would leave its room; the table beside the picture has all of it.
export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
