// What a look at the list found: how much takes part, and what is wrong with the rest.

import { make } from "../dom.js";
import { counted, keyMany, keyWords, number } from "../words.js";

const NEVER = "These rows never match.";

// A finding as a sentence; some ask.
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith("?") ? "" : ".");

function lines({ lines: places, files, rows }) {
  if (!places?.length) return "";
  const shown = places.slice(0, 5).join(", ");
  const where = new Set(files).size > 1 ? ` of ${files[0]} and others` : "";
  return ` ${places.length > 1 ? "Lines" : "Line"} ${shown}${rows > Math.min(5, places.length) ? " and more" : ""}${where}.`;
}

// Each thing with its number; nothing that is not there.
function things(found, many) {
  return [
    ["Tidied", found.changed, "Capitals, spaces and signs that do not count were made equal."],
    ["Repeated", found.duplicates, `Rows that say the same as another row. Each of the ${many} counts once.`],
    ["Empty", found.empty, NEVER],
    ["Placeholders", found.placeholders, `Such as n/a or “unknown”. ${NEVER}`],
    ["Unreadable", found.invalid, NEVER],
  ].filter(([, rows]) => rows > 0);
}

function one(found, parts, title) {
  const many = keyMany([parts]);
  const items = things(found, many).map(([name, rows, words]) =>
    make(
      "li",
      {},
      make("span", { class: "amount" }, number(rows)),
      make("span", {}, make("strong", {}, name), make("span", { class: "hint" }, words)),
    ),
  );
  const odd = found.suspicious.map((finding) =>
    make(
      "li",
      { class: "odd" },
      make("span", { class: "amount" }, number(finding.rows)),
      make(
        "span",
        {},
        make("strong", {}, "Looks wrong"),
        make("span", { class: "hint" }, `${sentence(finding.what)}${lines(finding)}`),
      ),
    ),
  );
  const takesPart = make(
    "p",
    { class: "takes" },
    make("strong", {}, number(found.distinct)),
    ` different ${many} take part.`,
  );
  const clean = make("p", { class: "quiet" }, "Nothing is empty, repeated or unreadable.");
  return make(
    "div",
    { class: "dirt" },
    title ? make("h3", {}, title) : null,
    takesPart,
    items.length + odd.length ? make("ul", { class: "findings" }, items, odd) : clean,
    found.distinct === 0
      ? make(
          "p",
          { class: "warning" },
          found.rows === 0
            ? "The file has no rows. Choose another file."
            : `No row has a key. Choose another column, or check the ${counted(found.rows, "row")} of the file.`,
        )
      : null,
  );
}

export function report(found, parts) {
  const title = (place) => (found.length > 1 ? `Key ${place + 1}: ${keyWords([parts[place]])}` : "");
  return make(
    "div",
    {},
    found.map((each, place) => one(each, parts[place] ?? parts[0], title(place))),
  );
}
