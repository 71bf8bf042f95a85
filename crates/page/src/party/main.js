// Which view is shown, and what all of them share.

import { at, make } from "./dom.js";
import * as exchange from "./exchange.js";
import * as about from "./views/about.js";
import * as accept from "./views/accept.js";
import * as history_ from "./views/history.js";
import * as identity from "./views/identity.js";
import * as invite from "./views/invite.js";
import * as list from "./views/list.js";
import * as peers from "./views/peers.js";
import * as run from "./views/run.js";

const STAGES = { accept, list, run };
const VIEWS = { peers, invite, history: history_, identity, about };

const STEPS = ["Invitation", "Your list", "Terms", "Result"];

// Milliseconds between two things that are said aloud while something goes on.
const PAUSE = 5000;

// A code of an invitation, with a name or without.
const CODE = /^#[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}(\/|$)/i;

let shown = "peers";
let end = null;

// Says something aloud at once, or, of what changes all the time, now and then.
let last = 0;
let pending = null;
export function say(text, often = false) {
  clearTimeout(pending);
  const wait = often ? Math.max(0, last + PAUSE - Date.now()) : 0;
  pending = setTimeout(() => {
    last = Date.now();
    at("spoken").textContent = text;
  }, wait);
}

function path() {
  const now = exchange.step();
  const items = STEPS.map((words, place) => {
    const state = place < now ? "past" : place === now ? "now" : "next";
    const told = place < now ? make("span", { class: "unseen" }, " (done)") : null;
    return make("li", { class: state, "aria-current": place === now ? "step" : null }, words, told);
  });
  return make("ol", { class: "path", "aria-label": "Steps" }, items);
}

function draw(focuses) {
  end?.();
  const stage = exchange.now();
  const view = shown === "exchange" ? STAGES[stage] : VIEWS[shown];
  const place = make("div", { class: `view ${shown === "exchange" ? stage : shown}` });
  end = view.show(place, page) ?? null;
  at("view").replaceChildren(...(shown === "exchange" ? [path()] : []), place);
  for (const button of document.querySelectorAll("[data-view]")) {
    const own = button.dataset.view === shown;
    if (own) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
    if (button.dataset.view === "exchange") button.hidden = stage === "none";
  }
  titled();
  if (focuses) focus();
}

// The page's name is that of its heading, and whoever uses a keyboard or hears the page goes on there.
function titled() {
  const title = at("view").querySelector("h1")?.textContent;
  document.title = title ? `${title} · veilset` : "veilset";
}

function focus() {
  const heading = at("view").querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

export const page = {
  say,
  // Another view, to which the browser's Back leads, too.
  go(view) {
    shown = view;
    history.pushState({ view }, "");
    draw(true);
  },
  // The next stage of the exchange.
  stage(stage, more) {
    exchange.turn(stage, more);
    // Within an exchange Back would only show the same again.
    if (shown !== "exchange") history.pushState({ view: "exchange" }, "");
    shown = "exchange";
    draw(true);
  },
  // The same stage, which has another heading now.
  steps() {
    const old = at("view").querySelector(".path");
    if (old) old.replaceWith(path());
    titled();
  },
  focus,
  // The end of the exchange, with what is to be said of it.
  home(notice) {
    exchange.turn("none");
    exchange.set({ notice });
    page.go("peers");
  },
};

function linked() {
  if (!CODE.test(location.hash)) return false;
  exchange.turn("accept", { link: location.href });
  return true;
}

addEventListener("popstate", ({ state }) => {
  const view = state?.view;
  if (!view || (view === "exchange" && exchange.now() === "none")) return;
  shown = view;
  draw(true);
});
addEventListener("hashchange", () => {
  if (exchange.goesOn() || !linked()) return;
  shown = "exchange";
  draw(true);
});
addEventListener("beforeunload", (event) => {
  if (exchange.goesOn()) event.preventDefault();
});
// A file that misses its place must not take the page's.
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
document.addEventListener("click", ({ target }) => {
  const view = target.closest?.("[data-view]")?.dataset.view;
  if (view) page.go(view);
});
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("view").focus();
});

if (linked()) shown = "exchange";
history.replaceState({ view: shown }, "");
draw(false);
