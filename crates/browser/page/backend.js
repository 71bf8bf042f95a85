// The party in this browser: a worker, the desk, does all the work.

import { answered, gone, listen, refused, resources, tell } from "./party.js";

// Calls that wait for their answers, by number.
const waiting = new Map();

let number = 0;
let desk = null;
// The workers of the desk's threads, by number.
const threads = [];
let failure = null;

// Everything that waits for the desk hears that it is gone.
function fail(message) {
  failure = { message, next: "Load this page again. Nothing is lost but a run that went on." };
  for (const { reject } of waiting.values()) reject(refused(failure));
  waiting.clear();
  for (const worker of [desk, ...threads]) worker.terminate();
  gone(failure);
}

function started(script, heard) {
  const worker = new Worker(new URL(script, import.meta.url), { type: "module" });
  worker.onmessage = heard;
  worker.onerror = (event) => {
    event.preventDefault();
    fail("The part of this page that does the work did not start.");
  };
  return worker;
}

// The worker of a thread; what it says is for the desk.
const begunThread = (thread) =>
  started("thread.js", ({ data }) => {
    desk.postMessage({ thread, message: data }, data.bytes ? [data.bytes.buffer] : []);
  });

function heard({ data }) {
  if (data.fatal) {
    fail(data.fatal);
    return;
  }
  if (data.thread !== undefined) {
    const worker = (threads[data.thread] ??= begunThread(data.thread));
    if (data.work) worker.postMessage(data.work);
    return;
  }
  const told = JSON.parse(data.text);
  if (told.event) {
    tell(told);
    return;
  }
  const call = waiting.get(told.id);
  waiting.delete(told.id);
  if (!call) return;
  try {
    call.resolve(answered(call.name, told, data.bytes));
  } catch (refusal) {
    call.reject(refusal);
  }
}

// A page shares memory between its workers only where it is isolated: by its server's headers, or else by a worker that adds them.
async function isolated() {
  if (crossOriginIsolated) return;
  const workers = navigator.serviceWorker;
  if (!workers) throw refused({ message: "This page needs a secure address.", next: "Open it with https://." });
  await workers.register(new URL("isolate.js", import.meta.url));
  await workers.ready;
  if (sessionStorage.getItem("isolated")) {
    throw refused({
      message: "This browser does not isolate the page, so it cannot compute here.",
      next: "Use a current Chrome, Edge or Firefox, and no private window.",
    });
  }
  sessionStorage.setItem("isolated", "once");
  location.reload();
  await new Promise(() => {});
}

async function begin() {
  await isolated();
  sessionStorage.removeItem("isolated");
  desk = started("desk.js", heard);
}

const begun = begin();
begun.catch(() => {});

// What the page loaded, and what it sent where.
async function loaded() {
  const { loaded: more, sent } = await ask("loaded", {});
  return { resources: [...resources(), ...more], sent };
}

async function ask(name, args) {
  await begun;
  if (failure) throw refused(failure);
  number += 1;
  const id = number;
  const { bytes, ...rest } = args;
  const answer = new Promise((resolve, reject) => waiting.set(id, { name, resolve, reject }));
  desk.postMessage({ id, call: name, args: rest, bytes }, bytes ? [bytes] : []);
  return answer;
}

export const backend = {
  kind: "browser",
  call(name, args = {}) {
    if (name === "accept" || name === "invite") navigator.storage?.persist?.();
    return name === "loaded" ? loaded() : ask(name, args);
  },
  listen,
};
