// Step 2, second half: a week of free and busy time, painted with a pointer or with keys.

import { at, make } from "./dom.js";
import { date, hour, long, monday, name, number, plus, short } from "./time.js";

// Cells as the program has them, by the day and the hour that clocks show.
let cells = new Map();
let weeks = [];
let week = null;
// Where the keys are, and where painting began: the row and the column in the table.
let place = { row: 0, column: 0 };
let stroke = null;
let painted = () => {};
// The slot that was agreed on, if there is one: its ends in UTC, and what clocks show at them.
let agreed = null;

const isAgreed = (cell) => agreed !== null && cell.start >= agreed.start && cell.start < agreed.end;

const key = (day, time) => `${day}T${time}`;

function table() {
  const days = Array.from({ length: 7 }, (_, day) => plus(week, day)).filter((day) =>
    [...cells.values()].some((cell) => date(cell.clock) === day),
  );
  const own = [...cells.values()].filter((cell) => days.includes(date(cell.clock)));
  const times = [...new Set(own.map((cell) => hour(cell.clock)))].sort();
  return { days, times };
}

// The elements of the table's body, by row and column.
const rows = () => [...at("week").tBodies[0].rows].map((row) => [...row.cells].slice(1));
const cellOf = (element) => cells.get(element?.dataset.clock);

function paint(element, cell) {
  element.classList.toggle("is-free", cell.free);
  element.classList.toggle("corrected", cell.free !== cell.calendar);
  element.classList.toggle("agreed", isAgreed(cell));
  element.setAttribute("aria-selected", String(cell.free));
  const said = `${cell.free !== cell.calendar ? ", corrected" : ""}${isAgreed(cell) ? ", agreed" : ""}`;
  element.setAttribute("aria-label", `${long(cell.clock)} ${hour(cell.clock)}, ${cell.free ? "free" : "busy"}${said}`);
}

function head(days) {
  const row = make("tr");
  row.append(make("td", undefined, "none"));
  for (const day of days) {
    const cell = make("th");
    cell.scope = "col";
    cell.append(make("span", name(day)), " ", make("span", number(day)));
    cell.setAttribute("abbr", short(day));
    row.append(cell);
  }
  return row;
}

function line(time, days) {
  const row = make("tr");
  // Whole hours are enough to find one's way.
  const label = make("th", time.endsWith(":00") ? time : "");
  label.scope = "row";
  label.setAttribute("aria-label", time);
  row.append(label);
  for (const day of days) {
    const cell = cells.get(key(day, time));
    const element = make("td", undefined, cell ? "" : "none");
    element.setAttribute("role", "gridcell");
    element.tabIndex = -1;
    if (cell) {
      element.dataset.clock = cell.clock;
      paint(element, cell);
    }
    row.append(element);
  }
  return row;
}

function draw(focus) {
  const { days, times } = table();
  const top = make("thead");
  top.append(head(days));
  const body = make("tbody");
  body.append(...times.map((time) => line(time, days)));
  at("week").replaceChildren(top, body);
  const ends = days.length > 0 ? `${short(days[0])} – ${short(days[days.length - 1])}` : "No days";
  if (at("week-title").textContent !== ends) at("week-title").textContent = ends;
  at("earlier").disabled = weeks.indexOf(week) <= 0;
  at("later").disabled = weeks.indexOf(week) === weeks.length - 1;
  if (times.length > 0) visit(place.row, place.column, focus);
}

// Moves the keys to a cell within the table.
function visit(row, column, focus) {
  const all = rows();
  const within = (at, count) => Math.max(0, Math.min(at, count - 1));
  all[place.row]?.[place.column]?.setAttribute("tabindex", "-1");
  place = { row: within(row, all.length), column: within(column, all[0].length) };
  const element = all[place.row][place.column];
  element.tabIndex = 0;
  if (focus) element.focus();
}

function placeOf(element) {
  const row = element.parentElement;
  return { row: row.sectionRowIndex, column: element.cellIndex - 1 };
}

// A stroke covers the rectangle between its ends; what it leaves again is as it was.
function begin(from, free) {
  stroke = { from, free, to: from, before: new Map() };
  extend(from);
}

function extend(to) {
  const { from, free, before } = stroke;
  stroke.to = to;
  const between = (at, one, other) => at >= Math.min(one, other) && at <= Math.max(one, other);
  rows().forEach((elements, row) =>
    elements.forEach((element, column) => {
      const cell = cellOf(element);
      if (!cell) return;
      const inside = between(row, from.row, to.row) && between(column, from.column, to.column);
      if (inside && !before.has(cell.clock)) before.set(cell.clock, cell.free);
      if (!before.has(cell.clock)) return;
      cell.free = inside ? free : before.get(cell.clock);
      paint(element, cell);
    }),
  );
}

// Tells which cells are corrected now, and which are as the calendar says.
function end() {
  const changed = [...stroke.before.keys()].map((clock) => cells.get(clock)).filter(Boolean);
  painted(new Map(changed.map((cell) => [cell.start, cell.free === cell.calendar ? null : cell.free])));
}

function press(event) {
  const element = event.target.closest("td[data-clock]");
  if (!element || event.button !== 0) return;
  event.preventDefault();
  const from = placeOf(element);
  visit(from.row, from.column, true);
  begin(from, !cellOf(element).free);
  const drag = (moved) => {
    const over = document.elementFromPoint(moved.clientX, moved.clientY)?.closest("#week td[data-clock]");
    if (over) extend(placeOf(over));
  };
  const stop = () => {
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
    end();
    stroke = null;
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}

const MOVES = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  Home: [0, -7], End: [0, 7],
};

function typed(event) {
  const cell = cellOf(rows()[place.row]?.[place.column]);
  if (event.key === " " && cell) {
    begin(place, !cell.free);
    end();
    stroke = null;
  } else if (event.key === "PageUp" || event.key === "PageDown") {
    turn(event.key === "PageUp" ? -1 : 1, true);
  } else if (MOVES[event.key]) {
    const [down, right] = MOVES[event.key];
    // Shift goes on with what the cell is where it was pressed first.
    if (event.shiftKey && !stroke && cell) begin(place, cell.free);
    if (!event.shiftKey) stroke = null;
    visit(place.row + down, place.column + right, true);
    if (event.shiftKey && stroke) {
      extend(place);
      end();
    }
  } else {
    return;
  }
  event.preventDefault();
}

function turn(by, focus) {
  const next = weeks[weeks.indexOf(week) + by];
  if (!next) return;
  week = next;
  stroke = null;
  draw(focus);
}

// Shows the cells of the program.
export function show(list) {
  const focused = at("week").contains(document.activeElement);
  cells = new Map(list.map((cell) => [cell.clock, cell]));
  weeks = [...new Set(list.map((cell) => monday(cell.clock)))].sort();
  if (!weeks.includes(week)) week = weeks[0];
  draw(focused);
  // The program answered while somebody paints: the stroke goes on over what it said.
  if (stroke) extend(stroke.to);
}

// Marks the slot that was agreed on, in its week, or takes the mark away.
export function mark(slot) {
  agreed = slot;
  at("legend-agreed").hidden = slot === null;
  const there = slot && monday(slot.clock[0]);
  if (weeks.includes(there)) week = there;
  if (cells.size > 0) draw(at("week").contains(document.activeElement));
}

// `changed` gets a map from starts to whether they are free, or null where that is what the calendar says.
export function start(changed) {
  painted = changed;
  at("week").addEventListener("pointerdown", press);
  at("week").addEventListener("keydown", typed);
  addEventListener("keyup", (event) => {
    if (event.key === "Shift") stroke = null;
  });
  at("earlier").addEventListener("click", () => turn(-1, false));
  at("later").addEventListener("click", () => turn(1, false));
}
