// The runs of before with their receipts, and what is left of budgets.

import { call } from "../ask.js";
import { button, complaint, make, pairs, part, refuse } from "../dom.js";
import { counted, duration, joined, moment, number, operationTitle, presetWords } from "../words.js";
import { saving } from "./result.js";

const ENDINGS = {
  complete: "Complete",
  withheld: "Withheld by a rule",
  failed: "Failed",
  unfinished: "Not finished",
};

const all = ({ peers }) => (peers.length > 1 ? "all" : "both");

function learnt({ learn, peers }, names) {
  if (learn === "me") return "you";
  if (peers.length > 1) return learn === "both" ? "you and others" : "others";
  return learn === "both" ? "both of you" : names;
}

function signed(entry) {
  if (entry.signed === null || entry.signed === undefined) return "none";
  return entry.signed ? `signed by ${all(entry)}` : "not signed by all";
}

// `email/1;name/1,date/2` are two keys.
const compared = (presets) =>
  presets
    .split(";")
    .map((key) => joined(key.split(",").map((preset) => presetWords(preset.trim()))))
    .join(", or else ");

function one(entry) {
  const error = complaint();
  const names = joined(entry.peers.map(({ name }) => name));
  const sizes = entry.peers.map(({ name, distinct }) => `${name} ${number(distinct)}`);
  const has = entry.signed !== null && entry.signed !== undefined;
  const save = has ? button("Save the receipt", saving(entry.run, "receipt"), "", error) : null;
  save?.setAttribute("aria-label", `Save the receipt of ${moment(entry.time)} with ${names}`);
  return make(
    "li",
    {},
    make(
      "div",
      { class: "bar" },
      make("h3", {}, `${operationTitle(entry.operation, entry.peers.length > 1)}, with ${names}`),
      make("span", { class: `ending ${entry.ending}` }, ENDINGS[entry.ending] ?? entry.ending),
    ),
    pairs(
      [
        ["When", moment(entry.time)],
        ["Learned by", learnt(entry, names)],
        ["Entries", [`you ${number(entry.distinct)}`, ...sizes].join(", ")],
        ["Compared by", compared(entry.presets)],
        ...(entry.epsilon ? [["Noise", `epsilon ${entry.epsilon}`]] : []),
        ...(entry.reference ? [["Reference", entry.reference]] : []),
        ["Receipt", signed(entry)],
      ],
      "pairs slim",
    ),
    save,
    error,
  );
}

const DAY = 86_400;
const within = (seconds) => (seconds % DAY === 0 ? counted(seconds / DAY, "day") : duration(seconds));

function budget({ peer, rule, most, spent, within_seconds: seconds, renewed }) {
  const what = rule === "runs" ? "runs" : "of the privacy budget (epsilon)";
  const left = Math.max(0, most - spent);
  const bar = make("progress", { max: String(most), "aria-label": `Used with ${peer}` });
  bar.value = spent;
  return make(
    "li",
    {},
    make(
      "p",
      { class: "bar" },
      make("strong", {}, peer),
      make("span", {}, `${number(left)} of ${number(most)} ${what} left in ${within(seconds)}`),
    ),
    bar,
    renewed ? make("p", { class: "hint" }, `Some comes back on ${moment(renewed)}.`) : null,
  );
}

export function show(place) {
  const runs = make("div", {}, make("p", { class: "quiet" }, "Looking up your runs…"));
  const budgets = make("div", { class: "stack" });
  const into = (box, fetched) =>
    fetched.catch((refusal) => {
      const error = complaint();
      box.replaceChildren(error);
      refuse(error, refusal);
    });
  place.append(
    make("h1", {}, "History"),
    make(
      "p",
      { class: "lead" },
      "What you ran, with whom, and the receipts. No entry of a list is kept, and no result.",
    ),
    budgets,
    make("section", { "aria-label": "Runs" }, runs),
  );
  into(
    runs,
    call("history").then(({ entries }) => {
      const newest = [...entries].sort((one, other) => String(other.time).localeCompare(String(one.time)));
      runs.replaceChildren(
        entries.length
          ? make("ul", { class: "records" }, newest.map(one))
          : make("p", { class: "quiet" }, "You have run nothing yet."),
      );
    }),
  );
  into(
    budgets,
    call("budgets").then(({ budgets: all }) => {
      if (all.length)
        budgets.replaceChildren(part("What is left to ask", make("ul", { class: "records" }, all.map(budget))));
    }),
  );
}
