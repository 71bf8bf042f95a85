// An invitation: who sends it, and whether to accept it.

import { button, complaint, field, make } from "../dom.js";
import { call } from "../ask.js";
import * as exchange from "../exchange.js";

// What the link says: the relay, and what the other calls itself. Neither is proven.
export function read(link) {
  const [address, rest = ""] = link.trim().split("#");
  const name = rest.split("/")[1] ?? "";
  let relay = address;
  try {
    relay = new URL(address).host;
  } catch {}
  try {
    return { relay, name: decodeURIComponent(name) };
  } catch {
    return { relay, name };
  }
}

// The code is used up: nobody needs it in the address any more.
function forget() {
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
}

export function show(place, page) {
  const { link } = exchange.get();
  const { relay, name } = read(link);
  const error = complaint();
  const input = make("input", { autocomplete: "off", spellcheck: "false", maxlength: "40", value: name });
  const ask = field("What do you call them?", input, "A short name, for you alone, such as acme.");
  const waiting = make("p", { class: "quiet", role: "status" });
  const accept = async () => {
    const given = input.value.trim();
    if (!given) {
      input.focus();
      throw Object.assign(new Error("A name is missing."), { next: "Write what you call them." });
    }
    waiting.textContent = `Looking for ${given} at ${relay}…`;
    try {
      const met = await call("accept", { link, name: given });
      forget();
      page.stage("list", { ...met, isNew: true });
    } finally {
      waiting.textContent = "";
    }
  };
  place.append(
    make("h1", {}, name ? `${name} invites you` : "You are invited"),
    make(
      "p",
      { class: "lead" },
      `${name || "A partner"} wants to find out with you what your two lists have in common. Neither of you sees the other’s list.`,
    ),
    make(
      "section",
      {},
      make(
        "ol",
        { class: "plan" },
        make("li", {}, make("strong", {}, "Accept."), " You see what is asked, and six words to compare by telephone."),
        make(
          "li",
          {},
          make("strong", {}, "Choose your list."),
          " The file stays on this computer. Nothing of it is sent in a readable form.",
        ),
        make(
          "li",
          {},
          make("strong", {}, "Agree."),
          " You see the exact terms before anything is compared. You can still say no.",
        ),
      ),
      name ? null : ask,
      error,
      make("div", { class: "acts" }, button("Accept the invitation", accept, "primary large", error), waiting),
    ),
    make(
      "p",
      { class: "quiet aside" },
      `Accepting sends your public key to whoever sent the link, through ${relay}. It sends nothing else.`,
    ),
  );
}
