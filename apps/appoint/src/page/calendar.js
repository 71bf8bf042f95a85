// Step 2, first half: a calendar from a file or an address.

import { Refusal, ask, at, clear, refuse, say } from "./dom.js";

function show(calendar, name) {
  at("forget").hidden = !calendar;
  const events = calendar && `${calendar.events} ${calendar.events === 1 ? "event" : "events"}`;
  say("source", calendar ? `${name ?? calendar.name}: ${events}.` : "No calendar: paint your free time.");
}

// Sends a file, which may be gone since it was chosen.
async function read(file) {
  let bytes;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    throw new Refusal({ field: "calendar", error: "the file cannot be read: choose it again" });
  }
  return ask("calendar", new Blob([bytes]));
}

// Has the program take a calendar, and shows what it says.
async function take(question, name, changed) {
  clear("calendar");
  say("source", "Reading…");
  try {
    show(await question, name);
  } catch (refusal) {
    show(null);
    refuse(refusal);
    await ask("calendar/forget");
  }
  changed();
}

export function begin(calendar, changed) {
  show(calendar);
  const file = at("file");
  file.addEventListener("change", () => {
    const [chosen] = file.files;
    if (chosen) take(read(chosen), chosen.name, changed);
    // The same file may be chosen again after it changed.
    file.value = "";
  });
  const get = () => {
    const url = at("url").value.trim();
    if (url) take(ask("calendar/fetch", { url }), undefined, changed);
  };
  at("fetch").addEventListener("click", get);
  at("url").addEventListener("keydown", (event) => {
    if (event.key === "Enter") get();
  });
  at("forget").addEventListener("click", () => take(ask("calendar/forget"), undefined, changed));
}
