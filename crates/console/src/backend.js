// The program on this machine does the work.

import { call as ask, follow } from "./gate.js";

const ANSWER = "x-veilset-answer";

const listeners = new Set();
// Runs that go on, which fail if the program ends.
const runs = new Set();

const GONE = {
  message: "The program on this computer has ended.",
  next: "Start veilset console again, and open the new address.",
};

function refused({ message, next }) {
  return Object.assign(new Error(message), { next: next ?? undefined });
}

function tell(event) {
  if (event.event === "done" || event.event === "failed") runs.delete(event.run);
  for (const listener of listeners) listener(event);
}

// What the page loaded; it sends nothing itself, and the program's own connections are not the page's.
function loaded() {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const resources = entries.map(({ name, encodedBodySize }) => ({ url: name.split("#")[0], bytes: encodedBodySize }));
  return { resources, sent: [] };
}

async function called(name, args) {
  let answer;
  try {
    answer = await ask("call", { method: "POST", body: JSON.stringify({ call: name, args }) });
  } catch {
    throw refused(GONE);
  }
  if (!answer.ok) throw refused({ message: "The program could not answer.", next: "Try it again." });
  const beside = answer.headers.get(ANSWER);
  if (beside) return { ...JSON.parse(decodeURIComponent(beside)), bytes: await answer.arrayBuffer() };
  const told = await answer.json();
  if (told.refusal) throw refused(told.refusal);
  const value = told.answer ?? {};
  if (name === "run") runs.add(value.run);
  return value;
}

function gone() {
  for (const run of [...runs]) tell({ event: "failed", run, ...GONE });
}

follow("events", tell).then(gone, gone);

export const backend = {
  kind: "program",
  async call(name, args = {}) {
    return name === "loaded" ? loaded() : called(name, args);
  },
  listen(listener) {
    listeners.add(listener);
  },
};
