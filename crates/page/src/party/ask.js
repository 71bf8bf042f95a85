// The way to what does the work: a party in this browser, or the program on this machine. It comes while the page is shown.

const loaded = import("./backend.js").then(({ backend }) => backend);
// Whoever asks is told of a failure; until then nobody is.
loaded.catch(() => {});

// Events that came before anybody followed their run: `run` may answer after its first event.
const early = new Map();
const followers = new Map();
const others = new Set();

// Runs of which events are kept until somebody follows them.
const MOST_EARLY = 8;

function heard(event) {
  if (event.run === undefined) {
    for (const other of others) other(event);
    return;
  }
  const follower = followers.get(event.run);
  if (follower) {
    follower(event);
    return;
  }
  if (!early.has(event.run) && early.size >= MOST_EARLY) early.delete(early.keys().next().value);
  early.set(event.run, [...(early.get(event.run) ?? []), event]);
}

loaded.then((backend) => backend.listen(heard)).catch(() => {});

async function ready() {
  try {
    return await loaded;
  } catch {
    const refusal = new Error("The part of this page that does the work did not load.");
    throw Object.assign(refusal, { next: "Check your connection, and load the page again." });
  }
}

export const call = async (name, args = {}) => (await ready()).call(name, args);

export const kind = async () => (await ready()).kind;

// Calls `fn` with each event of a run, also those that came before.
export function follow(run, fn) {
  followers.set(run, fn);
  for (const event of early.get(run) ?? []) fn(event);
  early.delete(run);
}

export const unfollow = (run) => followers.delete(run);

// Calls `fn` with each event that belongs to no run; returns how to end that.
export function listen(fn) {
  others.add(fn);
  return () => others.delete(fn);
}
