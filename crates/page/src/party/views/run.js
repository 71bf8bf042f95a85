// A run: waiting for the partner, the terms, how far it is, and its end.

import { call, follow, unfollow } from "../ask.js";
import { button, complaint, list, make, part, refuse } from "../dom.js";
import * as exchange from "../exchange.js";
import { bytes, duration } from "../words.js";
import * as result from "./result.js";
import * as terms from "./terms.js";

const BROKEN =
  "Keep this tab open. If it closes, this run alone is lost: your key, your partners and your receipts stay.";

const KEPT = "Nothing was kept of it. Your list and your partner are still here.";
const KEPT_OF_SEVERAL = "Nothing was kept of it. Your list and your partners are still here.";

// Begins the run that is wanted; `changed` is told of each event, whichever view is shown.
let changed = () => {};

async function begin() {
  const { wanted } = exchange.get();
  const others = exchange.names().length;
  const run = { stage: "waiting", relay: null, notes: [], began: Date.now(), others, here: 0 };
  exchange.set({ run });
  try {
    run.id = (await call("run", wanted)).run;
  } catch ({ message, next }) {
    Object.assign(run, { stage: "failed", failure: { message, next } });
    changed(run);
    return;
  }
  follow(run.id, (event) => {
    exchange.heard(run, event);
    if (run.stage === "done" || run.stage === "failed") unfollow(run.id);
    changed(run);
  });
}

// All that the program remarked.
function notes(run) {
  return run.notes.length ? list(run.notes, "notes") : null;
}

async function stop(page) {
  const { run } = exchange.get();
  if (run.id !== undefined) await call("stop", { run: run.id });
  unfollow(run.id);
  page.stage("list");
  page.say("The run is stopped. Nothing was kept of it.");
}

// What goes on, with a button that stops it.
function stoppable(page, ...inside) {
  const error = complaint();
  const acts = make(
    "div",
    { class: "acts" },
    button("Stop", () => stop(page), "", error),
  );
  return [make("section", {}, inside, error, acts), make("p", { class: "quiet aside" }, BROKEN)];
}

const isOfSeveral = ({ others }) => others > 1;

const arrived = (run, peer) => `${peer.name} ${isOfSeveral(run) ? "are" : "is"} here`;

function starts(run, peer) {
  if (!isOfSeveral(run)) return `${peer.name} starts the same run on the other side.`;
  const came = run.here ? ` ${run.here} of ${run.others} are here.` : "";
  return `${peer.name} start the same run on their sides.${came}`;
}

const pulse = () => make("span", { class: "pulse", "aria-hidden": "true" });

function waiting(run, peer, page) {
  const here = run.stage === "connected";
  const words = make("p", { class: "lead" });
  const later = make("div");
  const update = () => {
    const where = run.relay ? `, and meet at ${run.relay}, which sees nothing of your lists` : "";
    words.textContent = here
      ? "The programs compare their terms. Then you see them."
      : `${starts(run, peer)} You can start in any order${where}.`;
    later.replaceChildren(notes(run) ?? "");
  };
  update();
  const shown = [
    make("h1", {}, here ? arrived(run, peer) : `Waiting for ${peer.name}`),
    words,
    ...stoppable(page, make("p", { class: "live" }, pulse(), here ? "Comparing the terms…" : "Waiting…"), later),
  ];
  return { shown, update };
}

const percent = ({ done, total }) => (total ? Math.min(100, Math.floor((100 * done) / total)) : null);

const working = (run) =>
  isOfSeveral(run)
    ? "All computers work on it. Each sends the others protected data, and nothing else."
    : "Both computers work on it. Each sends the other protected data, and nothing else.";

// The parts of it that change all the time are kept in place.
function going(run, page) {
  const bar = make("progress", { max: "1", "aria-label": "This phase" });
  const [phase, share, sent, received, took] = ["strong", "span", "dd", "dd", "dd"].map((tag) => make(tag));
  const later = make("div");
  const update = () => {
    const now = run.progress;
    phase.textContent = now?.phase ?? "Starting";
    const done = now ? percent(now) : null;
    share.textContent = done === null ? "" : `${done} %`;
    if (done === null) bar.removeAttribute("value");
    else bar.value = done / 100;
    sent.textContent = bytes(now?.sent ?? 0);
    received.textContent = bytes(now?.received ?? 0);
    took.textContent = duration(Math.round((Date.now() - run.began) / 1000));
    later.replaceChildren(notes(run) ?? "");
  };
  update();
  const shown = [
    make("h1", {}, "Comparing the lists"),
    make("p", { class: "lead" }, working(run)),
    ...stoppable(
      page,
      make("p", { class: "bar phase" }, phase, share),
      bar,
      make(
        "dl",
        { class: "meter" },
        ...[
          ["Sent", sent],
          ["Received", received],
          ["Time", took],
        ].map(([name, value]) => make("div", {}, make("dt", {}, name), value)),
      ),
      later,
    ),
  ];
  return { shown, update };
}

function failed(run, page) {
  const box = make("div", { class: "error" });
  refuse(box, run.failure);
  const again = () => page.stage("run", { run: null });
  const other = () => page.stage("list");
  return [
    make("h1", {}, "The run ended without a result"),
    part(
      "What happened",
      box,
      notes(run),
      make("p", { class: "quiet" }, isOfSeveral(run) ? KEPT_OF_SEVERAL : KEPT),
      make(
        "div",
        { class: "acts" },
        button("Try again", again, "primary"),
        button("Change the list or the terms", other),
      ),
    ),
  ];
}

function spoken(run) {
  switch (run.stage) {
    case "progress":
      return [`${run.progress.phase}, ${percent(run.progress) ?? 0} percent.`, true];
    default:
      return ["", false];
  }
}

// What is shown at a stage, and how to bring it up to date.
function staged(run, peer, page, agreed) {
  switch (run.stage) {
    case "terms":
      return { shown: terms.shown(run, peer, page, agreed, () => stop(page)) };
    case "progress":
      return going(run, page);
    case "done":
      return { shown: result.shown(run, peer, page) };
    case "failed":
      return { shown: failed(run, page) };
    default:
      return waiting(run, peer, page);
  }
}

// Somebody who looks at another view is told when they are needed here.
function elsewhere(page, peer) {
  let stage = "";
  return (run) => {
    if (run.stage !== stage && run.stage === "terms")
      page.say(`${arrived(run, peer)}. Go to Exchange, and look at the terms.`);
    if (run.stage !== stage && run.stage === "done") page.say("The result is here. Go to Exchange.");
    if (run.stage !== stage && run.stage === "failed") page.say("The run ended without a result. Go to Exchange.");
    stage = run.stage;
  };
}

export function show(place, page) {
  const { peer } = exchange.get();
  let drawn = "";
  let update = null;
  const draw = (run) => {
    // The run may have gone on before the answer to the consent is here.
    const agreed = () => run.stage === "terms" && draw(Object.assign(run, { stage: "progress" }));
    const made = staged(run, peer, page, agreed);
    update = made.update;
    place.replaceChildren(...made.shown.filter(Boolean));
    place.className = `view run ${run.stage}`;
    if (drawn && drawn !== run.stage) {
      page.steps();
      page.focus();
    }
    drawn = run.stage;
  };
  changed = (run) => {
    if (run !== exchange.get().run) return;
    if (run.stage !== drawn) draw(run);
    else update?.();
    const [text, often] = spoken(run);
    if (text) page.say(text, often);
  };
  if (!exchange.get().run) begin();
  draw(exchange.get().run);
  const ticking = setInterval(() => update?.(), 1000);
  return () => {
    clearInterval(ticking);
    changed = elsewhere(page, peer);
  };
}
