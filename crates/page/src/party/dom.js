// Elements. All text goes in as text, never as markup.

export const at = (id) => document.getElementById(id);

// An element with attributes; a function among them listens to the event of its name.
export function make(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  fill(made, given);
  made.append(...inside.flat().filter((part) => part !== null && part !== undefined && part !== false));
  return made;
}

export function fill(made, given) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
}

let made = 0;
export const fresh = (stem) => `${stem}-${(made += 1)}`;

// A part of a page with a heading of its own.
export function part(title, ...inside) {
  const id = fresh("part");
  return make("section", { "aria-labelledby": id }, make("h2", { id }, title), ...inside);
}

// A field with its label, and a hint that belongs to it.
export function field(label, input, hint) {
  input.id ||= fresh("field");
  const below = hint ? make("p", { class: "hint", id: `${input.id}-hint` }, hint) : null;
  if (below) input.setAttribute("aria-describedby", below.id);
  return make("div", { class: "field" }, make("label", { for: input.id }, label), input, below);
}

export function choice(name, value, label, checked, hint) {
  const input = make("input", { type: "radio", name, value, checked, id: fresh("choice") });
  const words = [label, hint ? make("span", { class: "hint" }, hint) : null];
  return make("label", { class: "choice", for: input.id }, input, make("span", {}, ...words));
}

export function select(options, chosen) {
  const made = make("select");
  for (const [value, words] of options) made.append(new Option(words, value, value === chosen, value === chosen));
  return made;
}

// Where an error is told, beside what it is about.
export const complaint = () => make("div", { class: "error", role: "alert" });

// What went wrong, as it was said, and what to do.
export function refuse(place, { message, next }) {
  place.replaceChildren(make("p", { class: "what" }, message || "Something went wrong."));
  if (next) place.append(make("p", {}, next));
}

// A button for something that takes a while: a second press does nothing until that is over.
export function button(words, act, kind, place) {
  let busy = false;
  const pressed = async () => {
    if (busy) return;
    busy = true;
    place?.replaceChildren();
    made.setAttribute("aria-disabled", "true");
    try {
      await act();
    } catch (refusal) {
      if (!place) throw refusal;
      refuse(place, refusal);
    } finally {
      busy = false;
      made.removeAttribute("aria-disabled");
    }
  };
  const made = make("button", { type: "button", class: kind, click: pressed }, words);
  return made;
}

// Names and values, one below the other.
export const pairs = (entries, kind = "pairs") =>
  make(
    "dl",
    { class: kind },
    entries.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  );

export const list = (items, kind) =>
  make(
    "ul",
    { class: kind },
    items.map((item) => make("li", {}, item)),
  );

export const more = (title, ...inside) => make("details", {}, make("summary", {}, title), ...inside);

// Text to be copied, with a button that does it.
export function copied(text, label, kind = "key") {
  const shown = make("p", { class: kind }, text);
  const told = make("span", { class: "quiet", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      told.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(shown);
      told.textContent = "Selected. Copy it with your keyboard.";
    }
  };
  return make("div", { class: "copied" }, shown, make("div", { class: "acts" }, button(label, copy), told));
}

// Gives a file to the browser, which saves it.
export function download({ name, type, bytes }) {
  const link = make("a", { download: name });
  link.href = URL.createObjectURL(new Blob([bytes], { type: type ?? "application/octet-stream" }));
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
