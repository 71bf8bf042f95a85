// Step 5: the search, how far it is, and its result.

import { Refusal, ask, at, clear, make, refuse, say } from "./dom.js";
import { follow, save } from "./gate.js";
import { full, span } from "./time.js";

// Milliseconds before the stream of events is asked for again.
const AGAIN = 1000;

const FIELDS = ["run", "peer", "address", "calendar", "order", "dates", "length", "step", "scheme"];
const BEFORE = at("run-note").textContent;

const WORDS = {
  idle: () => "Find our time",
  waiting: ({ peer }) => `Waiting for ${peer}…`,
  running: ({ peer }) => `Finding a time with ${peer}…`,
  done: ({ result, peer }) => (result.slot ? `Agreed with ${peer}` : "No time is free for both"),
  failed: () => "No result",
  stopped: () => "Cancelled",
};

function notes(state) {
  switch (state.stage) {
    case "idle":
      return BEFORE;
    case "waiting":
    case "running":
      return state.note;
    case "done": {
      const { place, of, peer_slots: theirs } = state.result;
      return state.result.slot
        ? `Number ${place} of your ${of} slots; ${state.peer} offered ${theirs}.`
        : "Take other days or hours, or a shorter meeting, and search again together.";
    }
    default:
      return "Nothing was agreed.";
  }
}

// Keeps the bars in place while they grow, so that they move smoothly.
function steps(state) {
  const list = at("steps");
  const going = state.stage === "running" ? state.steps : [];
  while (list.children.length > going.length) list.lastChild.remove();
  going.forEach((step, place) => {
    const over = place < going.length - 1;
    const done = over ? step.total : Math.min(step.done, step.total);
    let item = list.children[place];
    if (!item) {
      item = make("li");
      const words = make("div", undefined, "words");
      words.append(make("span"), make("span", undefined, "quiet"));
      const gauge = make("progress");
      gauge.setAttribute("aria-label", step.name);
      item.append(words, gauge);
      list.append(item);
    }
    const [name, share] = item.firstChild.children;
    name.textContent = step.name;
    share.textContent = `${Math.floor((100 * done) / (step.total || 1))} %`;
    item.lastChild.max = step.total || 1;
    item.lastChild.value = done;
  });
}

function result(state, zone) {
  const found = state.stage === "done" ? state.result : null;
  at("result").hidden = !found?.slot;
  if (found?.slot) {
    at("slot-day").textContent = full(found.slot.clock[0]);
    at("slot-time").textContent = span(found.slot.clock);
    at("slot-zone").textContent = zone;
  }
  at("told").textContent = found?.told ?? "";
  const briefing = found ? state.briefing : null;
  const lines = briefing ? [briefing.learned, ...briefing.leaks] : [];
  const warnings = (state.briefing?.warnings ?? []).map((text) => make("li", text, "warning"));
  at("notes").replaceChildren(...warnings, ...lines.map((text) => make("li", text)));
  at("beyond").hidden = lines.length === 0;
}

// The zone of the run that goes on, which the field may not hold any more.
let zone = "";

function show(state) {
  const going = state.stage === "waiting" || state.stage === "running";
  at("start").hidden = going;
  at("cancel").hidden = !going;
  at("start").textContent = state.stage === "idle" ? "Find our time" : "Search again";
  at("start").classList.toggle("primary", !(state.stage === "done" && state.result.slot));
  const words = WORDS[state.stage](state);
  say("run-words", words);
  say("run-note", notes(state));
  const told = state.stage === "done" && state.result.slot
    ? `${words}: ${full(state.result.slot.clock[0])}, ${span(state.result.slot.clock)}.`
    : words;
  say("spoken", state.stage === "idle" ? "" : told);
  document.title = state.stage === "idle" ? "appoint" : `${words} · appoint`;
  steps(state);
  result(state, zone || at("zone").value);
  if (state.error) refuse(new Refusal(state.error));
}

// `wanted` returns all that the page holds; `agreed` gets the slot that was agreed on, or null.
export function begin(wanted, agreed) {
  let last = "idle";
  let marked = null;
  let lost = false;
  let closed = false;
  const heard = (state) => {
    if (lost) clear("run");
    lost = false;
    show(state);
    const slot = (state.stage === "done" && state.result.slot) || null;
    if (slot?.name !== marked?.name) agreed(slot);
    marked = slot;
    if (state.stage === "done" && last !== "done" && last !== "idle") at("run").scrollIntoView({ block: "nearest" });
    last = state.stage;
  };
  // A machine that slept loses the stream; the next one begins with how things are.
  const listen = async () => {
    try {
      await follow("events", heard);
    } catch {
      if (!closed && !lost) refuse(new Refusal({ field: "run", error: "appoint has ended" }));
      lost = true;
    }
    if (!closed) setTimeout(listen, AGAIN);
  };
  listen();
  at("save").addEventListener("click", async () => {
    try {
      await save("meeting.ics", "meeting.ics");
    } catch {
      refuse(new Refusal({ field: "run", error: "there is no slot to save any more: search again together" }));
    }
  });
  at("start").addEventListener("click", async () => {
    clear(...FIELDS);
    zone = at("zone").value;
    try {
      await ask("run", await wanted());
      at("cancel").hidden = false;
      at("cancel").focus();
    } catch (refusal) {
      refuse(refusal);
    }
  });
  at("cancel").addEventListener("click", async () => {
    await ask("cancel");
    at("start").hidden = false;
    at("start").focus();
  });
  at("close").addEventListener("click", async () => {
    closed = true;
    await ask("close");
    at("close").hidden = true;
    say("farewell", "appoint has ended. This page can be closed.");
  });
}
