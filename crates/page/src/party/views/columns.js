// The columns of a list: what they look like, and which of them make the key.

import { choice, field, fresh, make, part, select } from "../dom.js";
import { fitting, parse, write } from "../spec.js";
import { PRESET_NAMES, counted, keyWords, number, presetMany, presetWords } from "../words.js";

// Columns that are shown at once.
const FIRST = 8;

function about({ looks_like: looks, empty, distinct }) {
  const kind = !looks ? "" : looks === "raw" ? "looks hashed: use the plain values" : `looks like ${presetMany(looks)}`;
  const lacks = empty ? `${number(empty)} empty` : "";
  const many = distinct === undefined || distinct === null ? "" : `${number(distinct)} different`;
  return [kind, many, lacks].filter(Boolean).join(", ") || "any text";
}

// One column makes the key: it is one of the rows of a small table.
function single(list, chosen, changed) {
  const name = fresh("column");
  const rows = list.columns.map((column) => {
    const row = choice(name, column.name, column.name, column.name === chosen, about(column));
    row.querySelector("input").addEventListener("change", changed);
    return row;
  });
  const at = Math.max(
    0,
    list.columns.findIndex((column) => column.name === chosen),
  );
  // The chosen one is always among those that are seen.
  const [seen, rest] = [[], []];
  rows.forEach((row, place) => (place < FIRST - 1 || place === at || rows.length <= FIRST ? seen : rest).push(row));
  const box = make("div", { class: "columns" }, seen);
  const all = make("button", { type: "button", class: "plain" }, `Show ${counted(rest.length, "more column")}`);
  all.addEventListener("click", () => {
    all.replaceWith(...rest);
    rest[0].querySelector("input").focus();
  });
  if (rest.length) box.append(all);
  return { box, get: () => box.querySelector("input:checked")?.value ?? "" };
}

// How the values of a column are read, where nothing is agreed on yet.
function reading(preset, changed) {
  const [stem, country = ""] = preset.split(/-(?=..$)/);
  const chosen = PRESET_NAMES.includes(stem) ? stem : "raw";
  const kinds = select(
    PRESET_NAMES.map((name) => [name, presetWords(name)]),
    chosen,
  );
  const place = make("input", {
    maxlength: "2",
    size: "4",
    autocomplete: "off",
    value: country === "CC" ? "" : country,
    class: "short",
  });
  const of = field("Country of numbers without +", place, "Two letters, such as GB. Your partner gives the same.");
  const follow = () => {
    of.hidden = !["phone", "phone-sha256", "postcode"].includes(kinds.value);
  };
  for (const one of [kinds, place]) one.addEventListener("input", () => (follow(), changed()));
  follow();
  const get = () =>
    !of.hidden && place.value.trim() ? `${kinds.value}-${place.value.trim().toLowerCase()}` : kinds.value;
  return {
    shown: make(
      "div",
      { class: "beside" },
      field("Compare it as", kinds, "All lists must be compared the same way."),
      of,
    ),
    get,
  };
}

const called = (column) => `The agreement calls it ${column}.`;

// Of several agreed columns each has a field.
function several(keys, list, changed) {
  const names = [["", "Choose a column…"], ...list.columns.map(({ name }) => [name, name])];
  const fields = keys.map((parts) =>
    fitting(parts, list.columns, list.suggestion).map(({ column, preset }, place) => {
      const input = select(names, column);
      input.addEventListener("change", changed);
      return {
        input,
        preset,
        shown: field(`Your column with: ${presetWords(preset)}`, input, called(parts[place].column)),
      };
    }),
  );
  const shown = fields.map((parts, place) =>
    make(
      "fieldset",
      {},
      keys.length > 1 ? make("legend", {}, `Key ${place + 1}`) : null,
      parts.map((part) => part.shown),
    ),
  );
  const get = () => fields.map((parts) => parts.map(({ input, preset }) => ({ column: input.value, preset })));
  return { shown, get };
}

function amountsOf(list) {
  const ticks = list.columns.map(({ name }) => {
    const input = make("input", { type: "checkbox", value: name });
    return make("label", { class: "choice" }, input, make("span", {}, name));
  });
  const box = part(
    "Amounts to add up",
    make(
      "p",
      { class: "quiet" },
      "Tick the columns of yours that are added up over the common entries. Tick none if the amounts are your partner’s.",
    ),
    make("div", { class: "columns" }, ticks),
  );
  return { box, get: () => [...box.querySelectorAll("input:checked")].map(({ value }) => value) };
}

export function chooser(list, agreed, changed) {
  const amounts = amountsOf(list);
  const values = { amounts: amounts.box, values: amounts.get };
  const isOne = agreed.length === 0 || (agreed.length === 1 && agreed[0].length === 1);
  const title = (text) => make("p", { class: "ask" }, text);
  const whole = (parts) => parts.every((key) => key.every(({ column }) => column));
  const keys = (parts) => (whole(parts) ? parts.map(write) : null);
  if (!isOne) {
    const { shown, get } = several(agreed, list, changed);
    const words = `Both lists are compared by ${keyWords(agreed)}. Which of your columns are these?`;
    return {
      ...values,
      shown: make("div", { class: "chooser" }, title(words), shown),
      parts: get,
      keys: () => keys(get()),
    };
  }
  const suggested = list.suggestion ? parse(list.suggestion)[0] : { column: "", preset: "raw" };
  const first = agreed.length ? fitting(agreed[0], list.columns, list.suggestion)[0] : suggested;
  const read = agreed.length ? null : reading(first.preset, changed);
  const { box, get } = single(list, first.column, changed);
  const words = agreed.length
    ? `Which column has the ${presetMany(first.preset)}?`
    : "By which column are the lists compared?";
  const id = fresh("columns");
  const group = make("div", { role: "radiogroup", "aria-labelledby": id }, box);
  const asked = title(words);
  asked.id = id;
  const parts = () => [[{ column: get(), preset: read ? read.get() : first.preset }]];
  return {
    ...values,
    shown: make("div", { class: "chooser" }, asked, group, read?.shown ?? ""),
    parts,
    keys: () => keys(parts()),
  };
}
