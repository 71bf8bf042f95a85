// The list: which file, which of its columns, what is wrong with it, and who will learn what. Then the start.

import { call, kind } from "../ask.js";
import { button, complaint, field, make, part } from "../dom.js";
import * as exchange from "../exchange.js";
import { keysOf } from "../spec.js";
import { ALL_SIZES, SIZES, asked, counted, joined, learners, learnersAmong } from "../words.js";
import { chooser } from "./columns.js";
import { report } from "./dirt.js";
import { order } from "./order.js";
import { compare } from "./compare.js";
import { lacking, order as orderOfSeveral } from "./several.js";

const TYPES = ".csv,.tsv,.txt,.xlsx,.parquet,.arrow,.ndjson,.jsonl,.gz,.zst";

function dropper(opened, page) {
  const error = complaint();
  const told = make("p", { class: "quiet", role: "status" });
  const open = async (args) => {
    error.replaceChildren();
    told.textContent = `Reading ${args.name ?? args.path}…`;
    try {
      opened(await call("open", args.file ? { name: args.name, bytes: await args.file.arrayBuffer() } : args));
    } finally {
      told.textContent = "";
    }
  };
  const failed = ({ message, next }) => {
    error.replaceChildren(make("p", { class: "what" }, message), make("p", {}, next ?? ""));
  };
  const take = (file) => file && open({ name: file.name, file }).catch(failed);
  const input = make("input", { type: "file", class: "unseen", accept: TYPES, change: () => take(input.files[0]) });
  const zone = make(
    "label",
    { class: "drop" },
    make("span", { class: "button primary" }, "Choose a file"),
    make("span", {}, "or drop it here"),
    make("span", { class: "hint" }, "CSV, Excel or Parquet. The first line names the columns."),
    input,
  );
  const over = (is) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", is);
  };
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, over(true));
  zone.addEventListener("dragleave", over(false));
  zone.addEventListener("drop", (event) => {
    over(false)(event);
    take(event.dataTransfer.files[0]);
  });
  const box = make("div", {}, zone, told, error);
  // The program reads the file itself, so it must know where the file is.
  kind().then((which) => {
    if (which !== "program") return;
    const path = make("input", { autocomplete: "off", spellcheck: "false", placeholder: "/home/me/customers.csv" });
    const go = button("Open", () => open({ path: path.value.trim() }), "primary", error);
    const enter = (event) => event.key === "Enter" && go.click();
    path.addEventListener("keydown", enter);
    zone.replaceWith(make("div", { class: "beside" }, field("Where the file is on this computer", path), go));
  }, failed);
  return box;
}

// What the run is: as agreed on before, or as it is chosen here.
function wanted(place, changed) {
  const { peer, agreement, isNew, isMine } = exchange.get();
  if (agreement?.operation) {
    const who = isNew && !isMine ? `${peer.name} wants to` : `You and ${peer.name} agreed to`;
    const terms = { operation: agreement.operation, learn: agreement.learn ?? "both", reference: agreement.reference };
    const keys = keysOf(agreement);
    const learnt = learners(peer.name, terms).map((words) => `${words.join(" ")}.`);
    // Whoever was asked reads first what the other gets.
    const told = isNew && !isMine ? learnt.reverse() : learnt;
    place.append(
      make("p", { class: "lead" }, asked(who, { ...terms, keys })),
      make("p", { class: "lead after-lead" }, told.join(" ")),
    );
    return { get: () => terms, keys };
  }
  const chosen = peer.names ? orderOfSeveral(peer, changed) : order(peer.name, changed);
  return { get: chosen.get, keys: [], form: part("What you want to find out", chosen.shown) };
}

function told(peer, terms, rows) {
  const entries = peer.names ? learnersAmong(peer.names, terms) : learners(peer.name, terms);
  return make(
    "div",
    { class: "learners" },
    entries.map(([who, what]) => make("p", {}, make("strong", {}, who), " ", what, ".")),
    make("p", { class: "hint" }, peer.names ? ALL_SIZES : SIZES),
    terms.reference ? make("p", { class: "hint" }, `Reference: ${terms.reference}.`) : null,
    rows === 0 ? make("p", { class: "hint" }, "Your list has no rows.") : null,
  );
}

export function show(place, page) {
  const { peer, isNew } = exchange.get();
  const after = make("div", { class: "after" });
  place.append(make("h1", {}, `Compare lists with ${peer.name}`));
  let refresh = () => {};
  const terms = wanted(place, () => refresh());
  const differs = async () => {
    await call("forget", { name: peer.name });
    const kept = `The key that came as ${peer.name}’s is forgotten, and nothing of your list was sent.`;
    page.home(`${kept} Ask ${peer.name} for a new invitation, and have it sent in another way.`);
  };
  if (!peer.names) place.append(compare(peer, isNew, differs));
  if (terms.form) place.append(terms.form);

  const opened = (list, focuses = true) => {
    exchange.set({ list });
    const error = complaint();
    const checked = make("div", { class: "checked", "aria-live": "polite" });
    const learn = make("div");
    let asking = 0;
    const look = async () => {
      columns.amounts.hidden = terms.get().operation !== "sum";
      learn.replaceChildren(told(peer, terms.get(), list.rows));
      const keys = columns.keys();
      asking += 1;
      const question = asking;
      if (!keys) {
        checked.replaceChildren(make("p", { class: "hint" }, "Choose the column that both lists are compared by."));
        return;
      }
      try {
        const found = await call("check", { list: list.list, keys });
        if (question === asking) checked.replaceChildren(report([found].flat(), columns.parts()));
      } catch ({ message, next }) {
        if (question !== asking) return;
        checked.replaceChildren(
          make("div", { class: "error" }, make("p", { class: "what" }, message), make("p", {}, next ?? "")),
        );
      }
    };
    const columns = chooser(list, terms.keys, () => look());
    refresh = look;
    const start = async () => {
      const keys = columns.keys();
      if (!keys)
        throw Object.assign(new Error("No column is chosen."), {
          next: "Choose the column that both lists are compared by.",
        });
      const chosen = terms.get();
      const lacks = peer.names ? lacking(chosen) : null;
      if (lacks) throw lacks;
      const values = chosen.operation === "sum" ? columns.values() : undefined;
      page.stage("run", { wanted: { ...chosen, list: list.list, peers: exchange.names(), keys, values } });
    };
    const other = () => {
      exchange.set({ list: null });
      refresh = () => {};
      after.replaceChildren(choose());
      after.querySelector("input")?.focus();
    };
    const heading = part(
      list.name,
      make(
        "p",
        { class: "quiet bar" },
        `${counted(list.rows, "row")}, ${counted(list.columns.length, "column")}`,
        button("Another file", other, "plain"),
      ),
      columns.shown,
      checked,
    );
    after.replaceChildren(
      heading,
      columns.amounts,
      part(
        "Who learns what",
        learn,
        error,
        make(
          "div",
          { class: "acts" },
          button("Start", start, "primary large", error),
          make(
            "span",
            { class: "quiet" },
            `Nothing is compared before ${joined([...exchange.names(), "you"])} have agreed to the terms.`,
          ),
        ),
      ),
    );
    look();
    if (!focuses) return;
    const title = heading.querySelector("h2");
    title.tabIndex = -1;
    title.focus();
    title.scrollIntoView({ block: "nearest" });
  };
  const choose = () => part("Choose your list", dropper(opened, page));
  place.append(after);
  const { list } = exchange.get();
  if (list) opened(list, false);
  else after.append(choose());
}
