// Step 3: the free slots in the order of preference.

import { at, make, say } from "./dom.js";
import { short, span } from "./time.js";

let slots = [];
let chosen = 0;
let byHand = false;
// The name of the slot that was agreed on.
let agreed = null;

// The names of all slots, the best first.
export const order = () => slots.map((slot) => slot.name);

const words = (slot) => `${short(slot.clock[0])}, ${span(slot.clock).replaceAll(" ", "")}`;

// The slots that were moved by hand stay in their order; a new one comes after the slot that the rule puts before it.
function merged(ruled) {
  const now = new Map(ruled.map((slot) => [slot.name, slot]));
  const kept = slots.filter((slot) => now.has(slot.name)).map((slot) => now.get(slot.name));
  const known = new Set(kept.map((slot) => slot.name));
  ruled.forEach((slot, place) => {
    if (known.has(slot.name)) return;
    const before = kept.findIndex((other) => other.name === ruled[place - 1]?.name);
    kept.splice(before + 1, 0, slot);
  });
  return kept;
}

function draw() {
  at("order").replaceChildren(
    ...slots.map((slot, place) => {
      const item = make("li");
      item.id = `slot-${place}`;
      item.setAttribute("role", "option");
      item.append(make("span", place + 1, "rank"), make("span", words(slot), "when"));
      if (slot.name === agreed) {
        item.classList.add("agreed");
        item.append(make("span", "✓", "agreement"), make("span", "agreed", "unseen"));
      }
      const handle = make("span", "⠿", "handle");
      handle.setAttribute("aria-hidden", "true");
      item.append(handle);
      return item;
    }),
  );
  const count = `${slots.length} ${slots.length === 1 ? "slot" : "slots"}`;
  say("order-count", slots.length > 0 ? `${count}, ordered by ${byHand ? "you" : "the rule"}` : "");
  at("reorder").hidden = !byHand;
  choose(Math.min(chosen, slots.length - 1));
}

function choose(place) {
  chosen = Math.max(0, place);
  [...at("order").children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
  const item = at(`slot-${chosen}`);
  if (item) at("order").setAttribute("aria-activedescendant", item.id);
  else at("order").removeAttribute("aria-activedescendant");
}

function move(from, to) {
  const [slot] = slots.splice(from, 1);
  slots.splice(to, 0, slot);
  byHand = true;
  chosen = to;
  draw();
  at(`slot-${to}`).scrollIntoView({ block: "nearest" });
  say("moved", `${words(slot)} is now number ${to + 1} of ${slots.length}`);
}

function typed(event) {
  const last = slots.length - 1;
  const places = { ArrowUp: chosen - 1, ArrowDown: chosen + 1, Home: 0, End: last };
  if (last < 0 || !(event.key in places)) return;
  event.preventDefault();
  const to = Math.max(0, Math.min(places[event.key], last));
  if (event.altKey) {
    if (to !== chosen) move(chosen, to);
    return;
  }
  choose(to);
  at(`slot-${to}`).scrollIntoView({ block: "nearest" });
}

// The item follows the pointer from place to place; a finger takes it by its handle, and scrolls elsewhere.
function press(event) {
  const item = event.target.closest("li");
  const touch = event.pointerType === "touch" && !event.target.closest(".handle");
  if (!item || event.button !== 0 || touch) return;
  const list = at("order");
  const from = [...list.children].indexOf(item);
  choose(from);
  item.classList.add("held");
  const drag = (moved) => {
    const frame = list.getBoundingClientRect();
    if (moved.clientY < frame.top + 24) list.scrollTop -= 8;
    if (moved.clientY > frame.bottom - 24) list.scrollTop += 8;
    const over = [...list.children].find((other) => {
      const box = other.getBoundingClientRect();
      return other !== item && moved.clientY >= box.top && moved.clientY <= box.bottom;
    });
    if (!over) return;
    const below = item.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (below) over.after(item);
    else over.before(item);
  };
  const stop = () => {
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
    item.classList.remove("held");
    const to = [...list.children].indexOf(item);
    // The program's answer may have drawn another list meanwhile.
    if (to >= 0 && to !== from) move(from, to);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}

// Shows the slots in the program's order, as far as nobody moved any.
export function show(ruled) {
  slots = byHand ? merged(ruled) : ruled;
  draw();
}

// Marks the slot that was agreed on, or takes the mark away.
export function mark(slot) {
  agreed = slot?.name ?? null;
  const place = slots.findIndex((other) => other.name === agreed);
  if (place >= 0) chosen = place;
  draw();
  if (place >= 0) at("order").scrollTop = at(`slot-${place}`).offsetTop - at("order").clientHeight / 2;
}

export function preference() {
  return { prefer: at("prefer").value, rules: at("rules").value };
}

// `changed` is called when the rule changes, which takes the place of what was moved by hand.
export function begin(presets, changed) {
  at("prefer").value = presets.prefer ?? "early";
  at("rules").value = presets.rules ?? "";
  const ruled = () => {
    at("rules-label").hidden = at("prefer").value !== "rules";
    byHand = false;
    changed();
  };
  at("rules-label").hidden = at("prefer").value !== "rules";
  for (const id of ["prefer", "rules"]) at(id).addEventListener("input", ruled);
  at("reorder").addEventListener("click", () => {
    ruled();
    at("order").focus();
  });
  at("order").addEventListener("keydown", typed);
  at("order").addEventListener("pointerdown", press);
}
