// The desk: the only worker with an event loop. It talks to the network, to the browser's store, and to the page, and never waits.

import { STACK, importsOf, settle } from "./host.js";
import { openStore } from "./store.js";
import { Sockets } from "./sockets.js";

// Of WebAssembly's pages of 64 KiB, those that the module begins with, as it was linked, and the most there are.
const FIRST_PAGES = 512;
const MOST_PAGES = 65536;

// More threads than this help little, and each takes memory.
const MOST_THREADS = 16;

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
}

function spawn(run) {
  const locals = wasm.__tls_size.value;
  const places = { stack: wasm.veilset_take(STACK) >>> 0, locals: wasm.veilset_take(locals) >>> 0 };
  if (places.stack === 0 || places.locals === 0) throw new Error("there is no memory left");
  const worker = new Worker(new URL("thread.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.kind === "ended") {
      worker.terminate();
      wasm.veilset_give(places.stack, STACK);
      wasm.veilset_give(places.locals, locals);
    } else {
      take(data);
    }
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fatal(event.message ?? "a thread did not start");
  };
  worker.postMessage({ module, memory, threads, run, ...places });
}

// A message of the program, from whichever thread.
function take(message) {
  if (isOver) return;
  try {
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
      case "keep":
        store.keep(message.name, message.bytes).then(
          () => wasm.veilset_kept(message.number, 1),
          () => wasm.veilset_kept(message.number, 0),
        );
        break;
      case "log":
        panic = message.text;
        console.warn(message.text);
        break;
      case "fatal":
        fatal(message.text);
        break;
    }
  } catch (error) {
    fatal(String(error));
  }
}

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
  settle(instance, { stack: wasm.veilset_take(STACK) >>> 0, locals: wasm.veilset_take(wasm.__tls_size.value) >>> 0 });
  sockets = new Sockets({
    opened: (socket) => wasm.veilset_opened(socket),
    arrived: (socket, bytes) => wasm.veilset_arrived(socket, ...put(bytes)),
    left: (socket, count) => wasm.veilset_left(socket, count),
    closed: (socket, code) => wasm.veilset_closed(socket, code),
  });
  for (const [name, bytes] of await store.all()) wasm.veilset_stored(...put(utf8.encode(name)), ...put(bytes));
  wasm.veilset_begin();
}

// The calls that the page made before the program began.
const begun = begin();
begun.catch((error) => {
  isOver = true;
  postMessage({ fatal: `This page cannot work here: ${error.message}` });
});

onmessage = async ({ data }) => {
  await begun;
  if (isOver) return;
  const { bytes, ...call } = data;
  if (call.call === "loaded") {
    const entries = performance.getEntriesByType("resource");
    const loaded = entries.map(({ name, encodedBodySize }) => ({ url: name, bytes: encodedBodySize }));
    postMessage({ text: JSON.stringify({ id: call.id, answer: { loaded, sent: sockets.sent() } }) });
    return;
  }
  try {
    wasm.veilset_call(...put(utf8.encode(JSON.stringify(call))), ...put(new Uint8Array(bytes ?? 0)));
  } catch (error) {
    fatal(String(error));
  }
};
