// The desk: the only worker with an event loop. It talks to the network, to the browser's store, and to the page, and never waits.

import { GUARD, STACK, importsOf, settle } from "./host.js";
import { resources } from "./party.js";
import { openStore } from "./store.js";
import { Sockets } from "./sockets.js";

// Of WebAssembly's pages of 64 KiB, those that the module begins with, as it was linked, and the most there are.
const FIRST_PAGES = 512;
const MOST_PAGES = 65536;

// More threads than this help little, and each takes memory.
const MOST_THREADS = 16;

// Threads beside those that compute: the program's own, one for a call, two for a connection.
const OTHERS = 4;

// Bytes between the words of a guard that are looked at.
const STRIDE = 1024;

const utf8 = new TextEncoder();
const threads = Math.min(navigator.hardwareConcurrency || 1, MOST_THREADS);

let module;
let memory;
let wasm;
let store;
let sockets;
// What the program said last before it stopped.
let panic = "";
let isOver = false;
// Threads, by number: those that wait for something to run, and the places of those that run.
const idle = [];
const running = new Map();

// Puts bytes where the program takes them; the place and the length.
function put(bytes) {
  const place = wasm.veilset_take(bytes.length) >>> 0;
  if (place === 0) throw new Error("there is no memory left");
  new Uint8Array(memory.buffer).set(bytes, place);
  return [place, bytes.length];
}

function fatal(text) {
  if (isOver) return;
  isOver = true;
  console.error(text, panic);
  postMessage({ fatal: `The part of this page that does the work stopped: ${panic || text}` });
  sockets?.end();
}

// The same function, of which an error ends the program, and which does nothing after that.
const guarded =
  (act) =>
  (...args) => {
    if (isOver) return;
    try {
      act(...args);
    } catch (error) {
      fatal(String(error));
    }
  };

// Begins a thread. The page does it, and hands on what this one and the thread say to each other: in Firefox a worker that begins
// others may wait for ever, and channels between workers lose messages.
function begun() {
  const thread = idle.length + running.size;
  postMessage({ thread });
  return thread;
}

// Places for a thread's stack, with a guard below it, and its variables.
function places() {
  const stack = wasm.veilset_take(GUARD + STACK) >>> 0;
  const locals = wasm.veilset_take(wasm.__tls_size.value) >>> 0;
  if (stack === 0 || locals === 0) throw new Error("there is no memory left");
  return { stack, locals };
}

// Whether nobody wrote into the guard, which was all zeros.
function isIntact({ stack }) {
  const words = new BigUint64Array(memory.buffer, stack, GUARD / 8);
  for (let at = 0; at < words.length; at += STRIDE / 8) if (words[at] !== 0n) return false;
  return true;
}

function spawn(run) {
  const thread = idle.pop() ?? begun();
  const own = places();
  running.set(thread, own);
  postMessage({ thread, work: { module, memory, threads, run, ...own } });
}

function heard(thread, message) {
  const own = running.get(thread);
  if (!isIntact(own)) {
    fatal("a thread needed more memory for itself than it has");
  } else if (message.kind === "ended") {
    running.delete(thread);
    idle.push(thread);
    wasm.veilset_give(own.stack, GUARD + STACK);
    wasm.veilset_give(own.locals, wasm.__tls_size.value);
  } else {
    take(message);
  }
}

// A message of the program, from whichever thread.
const take = guarded((message) => {
  switch (message.kind) {
    case "tell":
      postMessage({ text: message.text, bytes: message.bytes.buffer }, [message.bytes.buffer]);
      break;
    case "spawn":
      spawn(message.run);
      break;
    case "open":
      sockets.open(message);
      break;
    case "send":
      sockets.send(message);
      break;
    case "close":
      sockets.close(message.socket);
      break;
    case "keep": {
      const kept = (well) => guarded(() => wasm.veilset_kept(message.number, well));
      store.keep(message.name, message.bytes).then(kept(1), kept(0));
      break;
    }
    case "log":
      panic = message.text;
      console.warn(message.text);
      break;
    case "fatal":
      fatal(message.text);
      break;
  }
});

// The browser lets one tab at a time have this lock, for as long as it lives.
function alone() {
  return new Promise((resolve) => {
    navigator.locks.request("veilset", { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return new Promise(() => {});
    });
  });
}

async function begin() {
  // Whoever loads their script later needs the network.
  while (idle.length < threads + OTHERS) idle.push(begun());
  if (!(await alone())) {
    throw new Error("this page is open in another tab of this browser: go on there, or close that tab");
  }
  const [compiled, opened] = await Promise.all([
    WebAssembly.compileStreaming(fetch(new URL("veilset.wasm", import.meta.url))),
    openStore(),
  ]);
  [module, store] = [compiled, opened];
  memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared: true });
  const instance = new WebAssembly.Instance(module, importsOf(module, memory, threads, take));
  wasm = instance.exports;
  settle(instance, places());
  sockets = new Sockets({
    opened: guarded((socket) => wasm.veilset_opened(socket)),
    arrived: guarded((socket, bytes) => wasm.veilset_arrived(socket, ...put(bytes))),
    left: guarded((socket, count) => wasm.veilset_left(socket, count)),
    closed: guarded((socket, code) => wasm.veilset_closed(socket, code)),
  });
  for (const [name, bytes] of await store.all()) wasm.veilset_stored(...put(utf8.encode(name)), ...put(bytes));
  wasm.veilset_begin();
}

// The calls that the page made before the program began.
const ready = begin();
ready.catch((error) => {
  isOver = true;
  postMessage({ fatal: `This page cannot work here: ${error.message}` });
});

onmessage = async ({ data }) => {
  if (data.message) {
    if (!isOver) heard(data.thread, data.message);
    return;
  }
  await ready;
  if (isOver) return;
  const { bytes, ...call } = data;
  if (call.call === "loaded") {
    postMessage({ text: JSON.stringify({ id: call.id, answer: { loaded: resources(), sent: sockets.sent() } }) });
    return;
  }
  let file;
  try {
    file = put(new Uint8Array(bytes ?? 0));
  } catch {
    const refusal = { message: "The file is too large for a browser.", next: "Use the veilset program for it." };
    postMessage({ text: JSON.stringify({ id: call.id, refusal }) });
    return;
  }
  guarded(() => wasm.veilset_call(...put(utf8.encode(JSON.stringify(call))), ...file))();
};
