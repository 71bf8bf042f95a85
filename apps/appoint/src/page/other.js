// Step 4: whom one meets, and where.

import { ask, at, clear, refuse, say } from "./dom.js";

// What stands for a key that is pasted.
const NEW = "";
// Where one waits or calls unless the user says otherwise.
const WAIT = "0.0.0.0:7000";

let peers = [];
const addresses = { true: WAIT, false: "" };

// What the program gets of it.
export function other() {
  const chosen = at("peer").value;
  return {
    peer: chosen === NEW ? at("key").value : chosen,
    waits: at("waits").checked,
    address: at("address").value,
  };
}

function list(known, chosen) {
  peers = known;
  at("peer").replaceChildren(...known.map(({ name }) => new Option(name)), new Option("Somebody else…", NEW));
  at("peer").value = known.some(({ name }) => name === chosen) ? chosen : known[0]?.name ?? NEW;
  showPeer();
}

function showPeer() {
  const peer = peers.find(({ name }) => name === at("peer").value);
  at("peer-key").textContent = peer?.key ?? "";
  at("new-peer").hidden = Boolean(peer);
}

function showSide() {
  const waits = at("waits").checked;
  say("address-label", waits ? "Wait at" : "Call");
  at("address").value = addresses[waits];
  at("address").placeholder = waits ? WAIT : "their.machine:7000";
  const help = waits
    ? "An address of this machine, and a free port; they call it. Or a relay, the same on both sides: wss://… Start in any order."
    : "Where they wait. Or a relay, the same on both sides: wss://… Start in any order.";
  say("address-help", help);
}

async function pin() {
  clear("peer");
  try {
    const name = at("name").value.trim();
    const known = await ask("pin", { name, key: at("key").value });
    list(known.peers, name);
    at("peer").focus();
  } catch (refusal) {
    refuse(refusal);
  }
}

async function copy() {
  const key = at("own-key");
  try {
    await navigator.clipboard.writeText(key.textContent);
    say("copied", "Copied");
  } catch {
    getSelection().selectAllChildren(key);
    say("copied", "Selected: copy it with your keys");
  }
}

export function begin({ own, peers: known, presets }) {
  at("own-key").textContent = own;
  list(known, presets.peer);
  if (presets.peer && at("peer").value !== presets.peer) {
    at("peer").value = NEW;
    at("key").value = presets.peer;
    showPeer();
  }
  if (known.length === 0) at("own").open = true;
  at(presets.waits ? "waits" : "calls").checked = true;
  if (presets.address) addresses[presets.waits] = presets.address;
  showSide();
  at("peer").addEventListener("change", () => {
    clear("peer");
    showPeer();
  });
  at("key").addEventListener("input", () => clear("peer"));
  for (const id of ["waits", "calls"]) at(id).addEventListener("change", showSide);
  at("address").addEventListener("input", () => {
    addresses[at("waits").checked] = at("address").value;
    clear("address");
  });
  at("pin").addEventListener("click", pin);
  at("copy").addEventListener("click", copy);
}
