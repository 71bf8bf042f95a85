// Step 1: the meeting.

import { at } from "./dom.js";
import { monday, plus } from "./time.js";

const TEXTS = ["first", "last", "length", "step", "scheme", "from", "to", "zone"];

// What the program gets of it.
export function meeting() {
  const fields = Object.fromEntries(TEXTS.map((id) => [id, at(id).value]));
  return { ...fields, weekends: at("weekends").checked };
}

// A value that a list of choices lacks is one of them from now on.
function choose(id, value) {
  const list = at(id);
  if (![...list.options].some((option) => option.value === value)) {
    list.add(new Option(`${value.replaceAll("m", "").replaceAll(",", " or ")} minutes`, value));
  }
  list.value = value;
}

// "9" and "9:30" are "09:00" and "09:30".
function tidy(field) {
  const found = /^(\d{1,2})(?::?(\d{2}))?$/.exec(field.value.trim());
  if (found) field.value = `${found[1].padStart(2, "0")}:${found[2] ?? "00"}`;
}

// Fills in what is known, and calls `changed` whenever somebody changes it.
export function begin(presets, changed) {
  const next = plus(monday(new Date().toISOString()), 7);
  at("first").value = presets.first ?? next;
  at("last").value = presets.last ?? plus(at("first").value, 4);
  for (const id of ["length", "step", "scheme"]) {
    if (presets[id] !== null) choose(id, String(presets[id]));
  }
  for (const id of ["from", "to"]) {
    at(id).value = presets[id] ?? at(id).value;
    at(id).addEventListener("change", () => tidy(at(id)));
  }
  at("zone").value = presets.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  at("zones").replaceChildren(...Intl.supportedValuesOf("timeZone").map((zone) => new Option("", zone)));
  at("weekends").checked = presets.weekends;
  for (const id of [...TEXTS, "weekends"]) at(id).addEventListener("change", changed);
}
