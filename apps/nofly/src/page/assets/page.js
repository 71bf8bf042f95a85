// Asks the program how far it is, and shows the answer. All text goes in as text, never as markup.

import { call } from "./gate.js";

// Milliseconds between two questions.
const PAUSE = 500;

const at = (id) => document.getElementById(id);
let manifest = { columns: [], rows: [], total: 0, listed: 0 };
let onlyListed = false;

function make(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${unit ? count.toFixed(1) : count} ${units[unit]}`;
}

const seconds = (time) =>
  time < 1 ? `${(time * 1000).toFixed(time < 0.01 ? 1 : 0)} ms` : `${time.toFixed(1)} s`;
const counted = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

function gauge(value, most, label) {
  const made = make("progress");
  made.max = most || 1;
  made.value = value;
  made.setAttribute("aria-label", label);
  return made;
}

// A cell, which narrow pages show after the name of its column.
function cell(tag, text, column, kind) {
  const made = make(tag, text, kind);
  made.setAttribute("role", tag === "th" ? "rowheader" : "cell");
  if (column) made.dataset.column = column;
  return made;
}

function line(kind, ...cells) {
  const made = make("tr", undefined, kind);
  made.setAttribute("role", "row");
  made.append(...cells);
  return made;
}

// Keeps the bars in place while they grow, so that they move smoothly.
function showSteps(state) {
  const list = at("steps");
  list.hidden = state.stage === "done";
  while (list.children.length > state.steps.length) list.lastChild.remove();
  state.steps.forEach((step, place) => {
    const over = state.stage === "done" || place < state.steps.length - 1;
    const done = over ? step.total : Math.min(step.done, step.total);
    let item = list.children[place];
    if (!item) {
      item = make("li");
      const words = make("div", undefined, "words");
      words.append(make("span"), make("span", undefined, "quiet"));
      item.append(words, gauge(0, step.total, step.name));
      list.append(item);
    }
    const [name, share] = item.firstChild.children;
    name.textContent = step.name;
    share.textContent = `${Math.floor((100 * done) / (step.total || 1))} %`;
    item.lastChild.max = step.total || 1;
    item.lastChild.value = done;
  });
}

function kind({ withheld, result }) {
  if (withheld) return "failed";
  return result.count > 0 ? "listed" : "clear";
}

function showVerdict(state) {
  const verdict = at("verdict");
  const words = {
    waiting: () => `Waiting for ${state.peer}…`,
    running: () => "Screening…",
    failed: () => "No result",
    done: () => {
      if (state.result.withheld) return `Withheld: ${state.result.withheld}`;
      const { count, rows } = state.result.result;
      if (count === 0) return "No passenger is on the list";
      return `${counted(rows, "row is", "rows are")} on the list`;
    },
  }[state.stage]();
  // Said aloud where it changes, so it is set only then.
  if (verdict.textContent !== words) verdict.textContent = words;
  verdict.className = state.stage === "done" ? kind(state.result) : state.stage;
  document.title = `${words} · nofly`;
}

function showNotes(state) {
  const briefing = state.briefing || { learned: "", leaks: [], warnings: [] };
  at("learned").textContent = state.error || briefing.learned;
  const notes = briefing.warnings.map((text) => make("li", text, "warning"));
  notes.push(...briefing.leaks.map((text) => make("li", text)));
  at("notes").replaceChildren(...notes);
  at("beyond").hidden = notes.length === 0;
  if (briefing.warnings.length > 0) at("beyond").open = true;
  const size = state.briefing ? `, which has ${counted(briefing.peer_distinct, "key", "keys")}` : "";
  at("title").textContent = `Screening ${state.manifest.split(/[\\/]/).pop()}`;
  at("against").textContent = `${counted(state.rows, "row", "rows")}, against the list of ${state.peer}${size}`;
}

function showCost(result) {
  const all = result.modules.reduce((sum, module) => sum + module.seconds, 0);
  at("totals").textContent =
    `${result.protocol} in ${seconds(all)}: ${bytes(result.bytes_sent)} sent, ` +
    `${bytes(result.bytes_received)} received, ${counted(result.rounds, "round", "rounds")}`;
  at("modules").replaceChildren(
    ...result.modules.map((module) => {
      const name = cell("th", module.name);
      name.scope = "row";
      const share = cell("td", undefined, undefined, "share");
      share.append(gauge(module.seconds, all, `${module.name}: share of the time`));
      const numbers = [
        cell("td", seconds(module.seconds), "Time", "number"),
        share,
        cell("td", bytes(module.sent), "Sent", "number"),
        cell("td", bytes(module.received), "Received", "number"),
      ];
      return line("", name, ...numbers);
    }),
  );
  at("cost").hidden = false;
}

function showRows() {
  const head = ["", ...manifest.columns, ""].map((name) => {
    const head = make("th", name);
    head.setAttribute("role", "columnheader");
    head.scope = "col";
    return head;
  });
  head[0].append(make("span", "Row", "unseen"));
  head[head.length - 1].append(make("span", "On the list", "unseen"));
  at("columns").replaceChildren(...head);
  const shown = manifest.rows.filter((row) => row.listed || !onlyListed);
  at("rows").replaceChildren(
    ...shown.map(({ row, listed, cells }) => {
      const fields = cells.map((text, place) => cell("td", text, manifest.columns[place]));
      const flag = cell("td", listed ? "on the list" : "", undefined, "flag");
      return line(listed ? "listed" : "", cell("td", row, "Row", "row-number"), ...fields, flag);
    }),
  );
  const [all, kind] = onlyListed ? [manifest.listed, " on the list"] : [manifest.total, ""];
  const part = shown.length < all ? `; the first ${shown.length.toLocaleString("en")} are shown` : "";
  at("shown").textContent = `${counted(all, "row", "rows")}${kind}${part}`;
}

async function fetchRows() {
  manifest = await (await call("/rows")).json();
  showRows();
}

function choose(listed) {
  onlyListed = listed;
  at("all").setAttribute("aria-pressed", String(!listed));
  at("listed").setAttribute("aria-pressed", String(listed));
  showRows();
}

async function follow() {
  let state;
  try {
    state = await (await call("/state")).json();
  } catch {
    at("verdict").textContent = "nofly has ended";
    return;
  }
  showVerdict(state);
  showNotes(state);
  showSteps(state);
  if (state.stage === "failed") return;
  if (state.stage !== "done") {
    setTimeout(follow, PAUSE);
    return;
  }
  showCost(state.result);
  await fetchRows();
  // What somebody screens for comes first.
  at("listed").disabled = manifest.listed === 0;
  choose(manifest.listed > 0);
  at("close").hidden = false;
}

async function close() {
  await call("/close", { method: "POST" });
  at("close").hidden = true;
  document.querySelector("footer p").textContent = "nofly has ended. This page can be closed.";
}

at("all").addEventListener("click", () => choose(false));
at("listed").addEventListener("click", () => choose(true));
at("close").addEventListener("click", close);
fetchRows().then(follow);
