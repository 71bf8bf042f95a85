// What makes a key, as the program writes it: columns with presets, parted by commas. A name with other signs stands in quotes.

function cut(text, mark) {
  const parts = [""];
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    if (sign === mark && !quoted) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return parts;
}

const unquoted = (name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
const quoted = (name) => (name === "" || /[,:"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

export function parse(spec) {
  return cut(spec, ",").map((part) => {
    const [column, preset = "raw"] = cut(part, ":");
    return { column: unquoted(column.trim()), preset: preset.trim() };
  });
}

// The keys of an agreement, which has one, several or none.
export const keysOf = (agreement) => [agreement?.key ?? []].flat().map(parse);

export const write = (parts) =>
  parts
    .map(({ column, preset }) => (preset && preset !== "raw" ? `${quoted(column)}:${preset}` : quoted(column)))
    .join(",");

const stem = (preset) => (preset ?? "").split(/[~/-]/)[0];

// For each agreed column the one of this list that fits best, by what it looks like, then by its name; none twice.
export function fitting(parts, columns, suggestion) {
  const suggested = suggestion ? parse(suggestion) : [];
  const taken = new Set();
  return parts.map(({ column, preset }) => {
    const free = columns.filter(({ name }) => !taken.has(name));
    const same = (name) => name.toLowerCase() === column.toLowerCase();
    const looks = free.filter(({ looks_like: looks }) => looks && looks !== "raw" && stem(looks) === stem(preset));
    const proposed = suggested.find((part) => stem(part.preset) === stem(preset));
    const found =
      looks.find(({ name }) => same(name)) ??
      free.find(({ name }) => name === proposed?.column) ??
      looks[0] ??
      free.find(({ name }) => same(name));
    if (found) taken.add(found.name);
    return { column: found?.name ?? "", preset };
  });
}
