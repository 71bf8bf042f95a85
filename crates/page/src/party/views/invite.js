// An invitation to somebody new: what is offered, then the link, then the words to compare.

import { call, kind, listen } from "../ask.js";
import { button, complaint, copied, field, fresh, make, more, part, select } from "../dom.js";
import * as exchange from "../exchange.js";
import { write } from "../spec.js";
import { PRESET_NAMES, presetWords } from "../words.js";
import { learn, operations } from "./order.js";

const OFFERED = ["count", "intersect", "sum", "union"];

const need = (input, what, next) => {
  if (input.value.trim()) return input.value.trim();
  input.focus();
  throw Object.assign(new Error(`${what} is missing.`), { next });
};

// The invitation that somebody may still accept; another view does not take it back.
let open = null;

const isShown = () => document.querySelector(".view.invite") !== null;

function sent({ name, link, code }) {
  const error = complaint();
  return part(
    `Send this to ${name}`,
    link ? copied(link, "Copy the link") : null,
    make("p", {}, link ? `Or tell ${name} this code by telephone:` : `Tell ${name} this code:`),
    make("p", { class: "code" }, code),
    make(
      "p",
      { class: "live" },
      make("span", { class: "pulse", "aria-hidden": "true" }),
      `Waiting for ${name}. Keep this tab open.`,
    ),
    error,
    make(
      "div",
      { class: "acts" },
      button("Take it back", () => call("withdraw"), "", error),
    ),
    make(
      "p",
      { class: "hint" },
      "The link is good once, for an hour. Keep it secret until it is used: whoever opens it first becomes your partner.",
    ),
  );
}

export function show(place, page) {
  const [name, me, via, column, reference] = [
    { autocomplete: "off", spellcheck: "false", maxlength: "40" },
    { autocomplete: "organization", spellcheck: "false", maxlength: "40" },
    { autocomplete: "off", spellcheck: "false", inputmode: "url", placeholder: "wss://relay.example" },
    { autocomplete: "off", spellcheck: "false", placeholder: "email" },
    { autocomplete: "off", maxlength: "200" },
  ].map((given) => make("input", given));
  const operation = operations(OFFERED);
  const preset = select(
    PRESET_NAMES.map((each) => [each, presetWords(each)]),
    "email",
  );
  const who = learn(fresh("learn"), "They", "me", () => {});
  const error = complaint();
  const form = make("div", { class: "stack" });
  const waiting = make("div", { class: "stack", "aria-live": "polite" });
  const wait = () => {
    waiting.replaceChildren(sent(open));
    form.hidden = true;
    const title = waiting.querySelector("h2");
    title.tabIndex = -1;
    title.focus();
  };
  const go = async () => {
    const called = need(name, "A name for them", "Write what you call them, such as acme.");
    const own = need(me, "Your name", "Write what they may call you, such as shop.");
    const relay = need(via, "The relay", "Write the address of the relay where you meet, such as wss://relay.example.");
    const key = write([{ column: column.value.trim() || preset.value, preset: preset.value }]);
    const args = { name: called, me: own, via: relay, operation: operation.value, key, learn: who.get() };
    if (reference.value.trim()) args.reference = reference.value.trim();
    const ended = listen((event) => {
      if (event.event !== "code") return;
      open = { name: called, link: event.link, code: event.code };
      wait();
    });
    try {
      const met = await call("invite", args);
      open = null;
      // Somebody who looks at another view finds the partner among the others.
      if (isShown() && !exchange.goesOn()) page.stage("list", { ...met, isNew: true, isMine: true, list: null });
      else page.say(`${called} accepted your invitation.`);
    } catch (refusal) {
      open = null;
      form.hidden = false;
      waiting.replaceChildren();
      if (isShown()) page.focus();
      if (isShown() && !place.isConnected) page.go("invite");
      throw refusal;
    } finally {
      ended();
    }
  };
  // A relay that serves this page is one to meet at.
  kind()
    .then((which) => {
      if (which === "browser" && !via.value) via.value = location.origin.replace(/^http/, "ws");
    })
    .catch(() => {});
  form.append(
    part(
      "Who meets",
      make(
        "div",
        { class: "beside" },
        field("What do you call them?", name, "Such as acme."),
        field("What may they call you?", me, "They see it in the link."),
      ),
      field("Where you meet", via, "The address of a relay. It passes on what it cannot read."),
    ),
    part(
      "What you ask for",
      field("Result", operation),
      make(
        "div",
        { class: "beside" },
        field("Compared by", preset),
        field("Your column with it", column, "Its name in your file. They choose their own."),
      ),
      who.box,
      more("More choices", field("Reference of your agreement", reference, "Such as a contract’s number.")),
    ),
    error,
    make(
      "div",
      { class: "acts" },
      button("Make the link", go, "primary large", error),
      button("Back", () => page.go("peers"), "large"),
    ),
  );
  place.append(
    make("h1", {}, "Invite somebody"),
    make(
      "p",
      { class: "lead" },
      "You get a link to send. Whoever opens it accepts or not, and then sees what you ask for.",
    ),
    form,
    waiting,
  );
  if (open) wait();
}
