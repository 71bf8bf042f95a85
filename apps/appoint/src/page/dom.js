// Elements and questions. All text goes in as text, never as markup.

import { call } from "./gate.js";

export const at = (id) => document.getElementById(id);

export function make(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// Said aloud where it changes, so it is set only then.
export function say(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text;
}

// What the program says is wrong, with the field that it is about.
export class Refusal extends Error {
  constructor({ field, error, marks = [] }) {
    super(error);
    this.field = field;
    this.marks = marks;
  }
}

// Asks the program; `body` is a file, or a value that goes as JSON.
export async function ask(path, body) {
  const sent = body instanceof Blob ? body : JSON.stringify(body ?? null);
  let answer;
  try {
    answer = await call(path, path === "setup" ? {} : { method: "POST", body: sent });
  } catch {
    throw new Refusal({ field: "run", error: "appoint has ended: start it again, and open the address that it prints" });
  }
  if (answer.status === 413) {
    throw new Refusal({ field: "calendar", error: "the file is larger than 64 MB: save the part that matters" });
  }
  const text = await answer.text();
  const value = text && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : null;
  if (answer.ok) return value;
  throw new Refusal(value ?? { field: "run", error: text });
}

// Shows an error beside its field, or takes away those of some fields.
export function refuse(refusal) {
  for (const { field, error } of [...refusal.marks, { field: refusal.field, error: refusal.message }]) {
    const place = at(`error-${field}`) ?? at("error-run");
    place.textContent = error;
    mark(place.id, true);
  }
}

export function clear(...fields) {
  for (const field of fields) {
    at(`error-${field}`).textContent = "";
    mark(`error-${field}`, false);
  }
}

function mark(error, wrong) {
  for (const field of document.querySelectorAll(`[aria-describedby~="${error}"]`)) {
    if (wrong) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}
