// Six words that both sides see, to be compared by telephone.

import { button, complaint, make, more, part } from "../dom.js";

const split = (words) =>
  Array.isArray(words)
    ? words
    : String(words ?? "")
        .trim()
        .split(/\s+/);

export const six = (words) =>
  make(
    "ol",
    { class: "six", "aria-label": "Six words" },
    split(words).map((word) => make("li", {}, word)),
  );

// `differs` is called where the words are not the same.
export function compare(peer, isNew, differs) {
  const how = `Call ${peer.name} on a number that you know, and read these words to each other.`;
  const hint = make("p", {}, `${how} If one differs, somebody else may have used the link.`);
  const error = complaint();
  const acts = make("div", { class: "acts" }, button("A word differs", differs, "danger", error));
  if (isNew) return part(`Is it really ${peer.name}?`, hint, six(peer.words), error, acts);
  return make(
    "div",
    { class: "known" },
    more(`Six words to compare with ${peer.name}`, hint, six(peer.words), error, acts),
  );
}
