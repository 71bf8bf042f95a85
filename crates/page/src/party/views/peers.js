// Partners: whom one knows, and how to meet somebody new.

import { call } from "../ask.js";
import { button, complaint, field, make, more, part, refuse } from "../dom.js";
import * as exchange from "../exchange.js";
import { keysOf } from "../spec.js";
import { asked, learners } from "../words.js";
import { six } from "./compare.js";
import { together } from "./several.js";

function agreed({ name, agreement }) {
  if (!agreement?.operation) return "You have agreed on nothing that stands. You choose with each run.";
  const terms = { operation: agreement.operation, learn: agreement.learn ?? "both", keys: keysOf(agreement) };
  const who = learners(name, terms).map((words) => `${words.join(" ")}.`);
  return [asked("You agreed to", terms), ...who].join(" ");
}

function one(peer, page, again) {
  const error = complaint();
  const acts = make("div", { class: "acts" });
  const begin = () => {
    exchange.free();
    page.stage("list", { peer, agreement: peer.agreement, isNew: false, list: null });
  };
  const start = button("Start an exchange", begin, "primary", error);
  const gone = async () => {
    await call("forget", { name: peer.name });
    page.say(`${peer.name} is forgotten.`);
    again();
  };
  const sure = () => {
    const keep = button("Keep", ask);
    acts.replaceChildren(
      make("span", {}, `Forget ${peer.name}’s key and your agreement?`),
      button("Forget", gone, "danger", error),
      keep,
    );
    keep.focus();
  };
  const ask = () => acts.replaceChildren(start, button("Forget", sure, "", error));
  ask();
  return part(
    peer.name,
    make("p", {}, agreed(peer)),
    peer.agreement?.reference ? make("p", { class: "hint" }, `Reference: ${peer.agreement.reference}.`) : null,
    error,
    acts,
    more(
      "Key and six words",
      make("p", { class: "key" }, peer.key),
      six(peer.words),
      make("p", { class: "hint" }, `Compare the words with ${peer.name} by telephone. Both of you see the same.`),
    ),
  );
}

function pasted(page) {
  const error = complaint();
  const link = make("input", {
    autocomplete: "off",
    spellcheck: "false",
    inputmode: "url",
    placeholder: "https://relay.example/#7KQ2-9FM4-TX3H/shop",
  });
  const go = () => {
    const text = link.value.trim();
    if (!/#[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}/i.test(text)) {
      throw Object.assign(new Error("This is not a whole link."), { next: "Copy all of it, with the part behind #." });
    }
    exchange.free();
    page.stage("accept", { link: text });
  };
  const open = button("Open the invitation", go, "", error);
  link.addEventListener("keydown", (event) => event.key === "Enter" && open.click());
  return part("You were sent a link", make("div", { class: "beside" }, field("Paste it here", link), open), error);
}

export function show(place, page) {
  const box = make("div", { class: "stack" }, make("p", { class: "quiet" }, "Looking up your partners…"));
  const fetch = async (focuses) => {
    try {
      const { peers } = await call("peers");
      const none = make(
        "p",
        { class: "quiet" },
        "You have no partners yet. Invite one, or open the link that one sent you.",
      );
      const each = peers.map((peer) => one(peer, page, () => fetch(true)));
      const several = peers.length > 1 ? [together(peers, page)] : [];
      box.replaceChildren(...(peers.length ? [...each, ...several] : [none]));
    } catch (refusal) {
      const error = complaint();
      box.replaceChildren(error);
      refuse(error, refusal);
    }
    if (focuses) page.focus();
  };
  const { peer, notice } = exchange.get();
  exchange.set({ notice: null });
  if (notice) page.say(notice);
  place.append(
    make("h1", {}, "Partners"),
    notice ? make("p", { class: "warnings" }, notice) : "",
    make(
      "p",
      { class: "lead" },
      "You and a partner find out what your two lists have in common. Neither of you sees the other’s list.",
    ),
    exchange.goesOn()
      ? make(
          "p",
          { class: "going" },
          `A run with ${peer.name} goes on. `,
          button("Back to it", () => page.go("exchange"), "plain"),
        )
      : "",
    box,
    make(
      "div",
      { class: "two" },
      part(
        "Somebody new",
        make("p", { class: "quiet" }, "Send somebody a link that is good once."),
        make(
          "div",
          { class: "acts" },
          button("Invite somebody", () => page.go("invite")),
        ),
      ),
      pasted(page),
    ),
  );
  fetch(false);
}
