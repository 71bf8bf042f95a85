// Three parties or more: who they are, what they compute, who learns it, and who is what.

import { button, complaint, field, fresh, make, more, part, select } from "../dom.js";
import * as exchange from "../exchange.js";
import { OPERATION_NAMES_OF_SEVERAL, joined, operationTitle } from "../words.js";

// What a party is called in its own terms.
const ME = "me";

function tick(value, words, ticked, changed) {
  const input = make("input", { type: "checkbox", value, checked: ticked, change: changed });
  return make("label", { class: "choice" }, input, make("span", {}, words));
}

const ticked = (box) => [...box.querySelectorAll("input:checked")].map(({ value }) => value);

// The relay that all of these agreed on, if it is one.
function met(peers) {
  const relays = new Set(peers.map(({ agreement }) => agreement?.via ?? ""));
  return relays.size === 1 ? [...relays][0] : "";
}

// Which of the partners take part.
export function together(peers, page) {
  const error = complaint();
  const box = make(
    "fieldset",
    { class: "row" },
    make("legend", {}, "Who takes part, beside you?"),
    peers.map(({ name }) => tick(name, name, false)),
  );
  const begin = () => {
    exchange.free();
    const chosen = peers.filter(({ name }) => ticked(box).includes(name));
    if (chosen.length < 2)
      throw Object.assign(new Error("Three parties are you and two others."), {
        next: "Tick two partners or more. For one, start at its name above.",
      });
    const names = chosen.map(({ name }) => name);
    const peer = { name: joined(names), names, via: met(chosen) };
    page.stage("list", { peer, agreement: null, isNew: false, list: null });
  };
  return part(
    "Three parties or more",
    make(
      "p",
      { class: "quiet" },
      "Several of you find out what all of your lists have in common. All must be partners of one another.",
    ),
    box,
    error,
    make("div", { class: "acts" }, button("Start with these", begin, "", error)),
  );
}

function seat(label, names, hint, changed) {
  const input = select([["", "The programs choose"], [ME, "You"], ...names.map((name) => [name, name])], "");
  input.addEventListener("change", changed);
  return { shown: field(label, input, hint), get: () => input.value || undefined };
}

// What is computed among all, and who learns it.
export function order({ names, via }, changed) {
  const operation = select(
    OPERATION_NAMES_OF_SEVERAL.map((name) => [name, operationTitle(name, true)]),
    OPERATION_NAMES_OF_SEVERAL[0],
  );
  const learners = make(
    "fieldset",
    { class: "row" },
    make("legend", {}, "Who learns the result?"),
    [[ME, "You"], ...names.map((name) => [name, name])].map(([value, words]) => tick(value, words, true, changed)),
  );
  const relay = make("input", {
    autocomplete: "off",
    spellcheck: "false",
    inputmode: "url",
    placeholder: "wss://relay.example",
    value: via,
    change: changed,
  });
  const reference = make("input", { autocomplete: "off", maxlength: "200", change: changed });
  const protocol = make("input", { autocomplete: "off", spellcheck: "false", change: changed });
  const leader = seat("Leader", names, "The party that computes the result. It is one of those who learn.", changed);
  const pivot = seat(
    "Pivot",
    names,
    "Some protocols need a party that does not pool what it sees with the leader, such as its competitor.",
    changed,
  );
  const follow = () => {
    // Each computes numbers for the others, so all learn.
    learners.hidden = operation.value === "overlaps";
  };
  operation.addEventListener("change", () => (follow(), changed()));
  follow();
  const shown = make(
    "div",
    { class: "order" },
    field("Result", operation, "All of you must choose the same, here and below."),
    learners,
    field("Where you meet", relay, "The address of a relay. It passes on what it cannot read."),
    more(
      "More choices",
      leader.shown,
      pivot.shown,
      field(
        "Reference of your agreement",
        reference,
        "Such as a contract’s number. All give the same, or nobody gives one.",
      ),
      field("Protocol", protocol, "Leave it empty, and the programs choose."),
    ),
  );
  const text = (input) => input.value.trim() || undefined;
  const get = () => {
    const chosen = ticked(learners);
    const all = learners.hidden || chosen.length === names.length + 1;
    return {
      operation: operation.value,
      // Nobody named is all.
      learners: all ? [] : chosen,
      nobody: !all && chosen.length === 0,
      via: text(relay),
      leader: leader.get(),
      pivot: pivot.get(),
      reference: text(reference),
      protocol: text(protocol),
    };
  };
  return { shown, get };
}

// What keeps a run from its start.
export function lacking({ nobody, via }) {
  if (nobody) return Object.assign(new Error("Nobody learns the result."), { next: "Tick who learns it." });
  if (!via)
    return Object.assign(new Error("The relay is missing."), {
      next: "Write the address of the relay where all of you meet, such as wss://relay.example.",
    });
  return null;
}
