// Numbers, names of things, and sentences.

export const number = (value) => Number(value).toLocaleString("en");

export const counted = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

export function bytes(value) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let [place, left] = [0, value];
  while (left >= 1000 && place < units.length - 1) [place, left] = [place + 1, left / 1000];
  return place === 0 ? counted(value, "byte") : `${left.toFixed(1)} ${units[place]}`;
}

export function duration(seconds) {
  if (seconds < 60) return `${seconds < 10 && !Number.isInteger(seconds) ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function moment(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? String(text) : WHEN.format(time);
}

export const joined = (parts) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

// One of what a preset reads, and several.
const PRESETS = {
  raw: ["exact text", "values"],
  email: ["e-mail address", "e-mail addresses"],
  "email-gmail": ["e-mail address (dots and +tags of Gmail do not count)", "e-mail addresses"],
  "email-sha256": ["e-mail address, hashed", "e-mail addresses"],
  "email-ascii-sha256": ["e-mail address, hashed as PAIR does", "e-mail addresses"],
  phone: ["telephone number", "telephone numbers"],
  "phone-sha256": ["telephone number, hashed", "telephone numbers"],
  name: ["name", "names"],
  ip: ["network address", "network addresses"],
  date: ["date", "dates"],
  domain: ["web domain", "web domains"],
  number: ["number", "numbers"],
  iban: ["bank account (IBAN)", "bank accounts"],
  vat: ["VAT number", "VAT numbers"],
  postcode: ["postcode", "postcodes"],
  address: ["postal address", "postal addresses"],
};

// `phone-gb` is a telephone number, and `name~deletion` a name.
function known(preset) {
  const plain = (preset || "raw").split(/[~/]/)[0];
  if (PRESETS[plain]) return { words: PRESETS[plain], country: "" };
  const cut = plain.lastIndexOf("-");
  const country = plain.slice(cut + 1).toUpperCase();
  return { words: PRESETS[plain.slice(0, cut)] ?? [plain, "values"], country };
}

export const PRESET_NAMES = Object.keys(PRESETS);

export function presetWords(preset) {
  const { words, country } = known(preset);
  return country && country !== "CC" ? `${words[0]} (${country})` : words[0];
}

export const presetMany = (preset) => known(preset).words[1];

// What columns make keys, in words: "e-mail address", or "name and date; or telephone number".
export const keyWords = (keys) =>
  keys.map((parts) => joined([...new Set(parts.map(({ preset }) => presetWords(preset)))])).join(", or else ");

// What the keys of a list are called in its numbers.
export const keyMany = (keys) => (keys.length === 1 && keys[0].length === 1 ? presetMany(keys[0][0].preset) : "keys");

const OPERATIONS = {
  intersect: {
    title: "Find the entries on both lists",
    act: "find the entries that are on both lists",
    gets: "which of their own entries are on the other list, too",
    you: "which of your entries are on the other list, too",
  },
  count: {
    title: "Count the entries on both lists",
    act: "count the entries that are on both lists",
    gets: "how many entries are on both lists",
  },
  sum: {
    title: "Count the entries on both lists, and add up amounts",
    act: "count the entries that are on both lists, and add up their amounts",
    gets: "how many entries are on both lists, and their totals",
  },
  union: { title: "Merge both lists", act: "merge both lists into one", gets: "all entries of both lists, each once" },
  align: {
    title: "Give both lists common identifiers",
    act: "give the entries of both lists the same random identifiers",
    gets: "one random identifier for each entry of both lists",
  },
  share: {
    title: "Make shares for later computation",
    act: "turn both lists into random shares for a later computation",
    gets: "random shares, which alone say nothing",
  },
};

const OF_SEVERAL = {
  intersect: {
    title: "Find the entries on all lists",
    gets: "which of their own entries are on all lists",
    you: "which of your entries are on all lists",
  },
  count: { title: "Count the entries on all lists", gets: "how many entries are on all lists" },
  overlaps: {
    title: "See how much the lists share",
    gets: "how many entries each two lists share, and how many all share",
  },
};

export const OPERATION_NAMES = Object.keys(OPERATIONS);
export const OPERATION_NAMES_OF_SEVERAL = Object.keys(OF_SEVERAL);
export const operationTitle = (name, isOfSeveral = false) =>
  (isOfSeveral ? OF_SEVERAL : OPERATIONS)[name]?.title ?? name;

// "shop wants to count the entries that are on both lists, by e-mail address."
export function asked(who, { operation, keys }) {
  const act = OPERATIONS[operation]?.act ?? operation;
  return `${who} ${act}${keys.length ? `, compared by ${keyWords(keys)}` : ""}.`;
}

// Who learns what, as pairs of a name and a sentence without it.
export function learners(peer, { operation, learn }) {
  const { gets, you = gets } = OPERATIONS[operation] ?? { gets: "the result" };
  const nothing = "nothing of the result";
  const yours = learn === "peer" ? nothing : you;
  const theirs = learn === "me" ? nothing : gets;
  return [
    ["You learn", yours],
    [`${peer} learns`, theirs],
  ];
}

export const SIZES = "Both of you also see how many different entries the other list has.";

const learn = (names) => (names.length === 1 ? `${names[0]} learns` : `${joined(names)} learn`);

// The same among several, who are all learners where none is named.
export function learnersAmong(names, { operation, learners: named }) {
  const { gets, you = gets } = OF_SEVERAL[operation] ?? { gets: "the result" };
  const nothing = "nothing of the result";
  const learns = (name) => named.length === 0 || named.includes(name);
  const [those, others] = [names.filter(learns), names.filter((name) => !learns(name))];
  return [
    ["You learn", learns("me") ? you : nothing],
    ...(those.length ? [[learn(those), gets]] : []),
    ...(others.length ? [[learn(others), nothing]] : []),
  ];
}

export const ALL_SIZES = "All of you also see how many different entries each other list has.";
