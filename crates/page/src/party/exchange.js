// The exchange with one partner: what is known of it, and how far it is. It lasts as long as the tab.

let stage = "none";
let state = {};

// "none", "accept", "list" or "run"; a run has stages of its own.
export const now = () => stage;

export const get = () => state;

// What those are called with whom the exchange is.
export const names = () => state.peer.names ?? [state.peer.name];

export function set(more) {
  Object.assign(state, more);
}

// Goes to a stage. What was known stays, but for the run of before; a new invitation or partner begins anew.
export function turn(to, more = {}) {
  if (to === "none") state = {};
  else if (to === "accept") state = { ...more };
  else state = { ...state, run: null, ...more };
  stage = to;
}

const OVER = ["done", "failed"];

// Whether closing the tab loses something.
export const goesOn = () => stage === "run" && Boolean(state.run) && !OVER.includes(state.run.stage);

// Refuses to begin another exchange in the place of one that runs.
export function free() {
  if (!goesOn()) return;
  const refusal = new Error(`A run with ${state.peer.name} goes on.`);
  throw Object.assign(refusal, { next: "Wait until it is over, or stop it." });
}

// Which of the four steps it is: invitation, list, terms, result.
export function step() {
  if (stage === "accept") return 0;
  if (stage === "list") return 1;
  return ["waiting", "connected", "terms"].includes(state.run?.stage) ? 2 : 3;
}

// What an event changes of a run.
export function heard(run, event) {
  switch (event.event) {
    case "waiting":
      Object.assign(run, { stage: "waiting", relay: event.relay });
      break;
    case "connected":
      run.here += 1;
      // Each of several comes.
      if (run.here >= run.others) run.stage = "connected";
      break;
    case "terms":
      Object.assign(run, { stage: "terms", briefing: event.briefing });
      break;
    case "progress":
      Object.assign(run, { stage: "progress", progress: event });
      break;
    case "note":
      run.notes.push(event.text);
      break;
    case "done":
      Object.assign(run, { stage: "done", report: event.report, rows: event.rows, counts: event.counts });
      run.unrecorded = event.unrecorded;
      break;
    case "failed":
      Object.assign(run, { stage: "failed", failure: event });
      break;
    default:
  }
}
