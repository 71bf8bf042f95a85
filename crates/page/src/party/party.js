// What both backends do for the page: they tell who listens, end the runs of a party that is gone, and read its answers.

const listeners = new Set();
// Runs that go on.
const runs = new Set();

export function listen(listener) {
  listeners.add(listener);
}

// An event of a run.
export function tell(event) {
  if (event.event === "done" || event.event === "failed") runs.delete(event.run);
  for (const listener of listeners) listener(event);
}

// A refusal, as calls throw it: what is wrong, and what to do.
export function refused({ message, next }) {
  return Object.assign(new Error(message), { next: next ?? undefined });
}

// What a call returns of what the party told, with the bytes beside it.
export function answered(name, told, bytes) {
  if (told.refusal) throw refused(told.refusal);
  const answer = told.answer ?? {};
  if (name === "run") runs.add(answer.run);
  return bytes?.byteLength ? { ...answer, bytes } : answer;
}

// The party is gone, and with it each run that went on.
export function gone(failure) {
  for (const run of [...runs]) tell({ event: "failed", run, ...failure });
}

// What was loaded by whoever asks: the page, or a worker.
export function resources() {
  const kinds = ["navigation", "resource"];
  const entries = kinds.flatMap((kind) => performance.getEntriesByType(kind));
  return entries.map(({ name, encodedBodySize }) => ({ url: name.split("#")[0], bytes: encodedBodySize }));
}
