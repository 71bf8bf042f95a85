// What came out of a run: the numbers, a picture of the sets, and what can be saved.

import { call } from "../ask.js";
import { button, complaint, download, make, more, pairs, part } from "../dom.js";
import { upset } from "../upset.js";
import { venn } from "../venn.js";
import { bytes, counted, duration, joined, moment, number } from "../words.js";
import { warnings } from "./terms.js";

function withheld({ fewer_than: fewer, above_percent: above }, lists) {
  if (fewer !== undefined)
    return `Fewer than ${counted(fewer, "entry", "entries")} are on ${lists}. The agreed rules tell no more.`;
  return `More than ${above} % of the smaller list match. The agreed rules tell no more.`;
}

const holds = (peer, peers) => (peers ? "Others have" : `${peer.name} has`);

// The number that matters most, what it counts, and what else there is to say.
function answer({ operation, result, distinct, release, learn, peers }, peer) {
  const lists = peers ? `all ${peers.length + 1} lists` : "both lists";
  if (result?.withheld) return { words: withheld(result.withheld, lists) };
  if (!result || (result.count === null && result.places === undefined)) {
    return {
      words:
        learn === "peer"
          ? `${holds(peer, peers)} the result. You were not to learn it.`
          : "There is no result for you.",
    };
  }
  const noise = release?.noise
    ? ` The number is noisy: it is within ${number(release.noise.error)} in 95 of 100 runs.`
    : "";
  const rounded = release?.round ? ` It is rounded to multiples of ${number(release.round)}.` : "";
  switch (operation) {
    case "union":
      return {
        figure: result.count,
        words: "entries are on the two lists together",
        rest: `${number(result.matches)} of them are on both. ${counted(result.received, "row")} came from ${peer.name}.`,
      };
    case "align":
      return {
        figure: result.count,
        words: "identifiers stand for the entries of both lists",
        rest: `${number(result.matches)} of them are on both lists. ${number(result.received)} are ${peer.name}’s alone.`,
      };
    case "share":
      return {
        figure: result.places,
        words: "places have a random share",
        rest: `A share alone says nothing. ${peer.name} has the other half.`,
      };
    default: {
      const rows =
        result.rows === undefined || result.rows === null
          ? ""
          : `${result.count === 1 ? "It is" : "They are"} in ${counted(result.rows, "row")} of your file.`;
      return {
        figure: result.count,
        words: `${result.count === 1 ? "entry is" : "entries are"} on ${lists}`,
        rest: `${rows} You have ${number(distinct)} different entries.${noise}${rounded}`.trim(),
      };
    }
  }
}

function sums({ result }) {
  if (!result?.sum) return null;
  const rows = Object.entries(result.sum).map(([column, sum]) =>
    make("tr", {}, make("th", { scope: "row" }, column), make("td", {}, sum)),
  );
  return make(
    "table",
    { class: "sums" },
    make("caption", {}, "Totals over the common entries"),
    make("tbody", {}, rows),
  );
}

function picture(counts, peer, report) {
  if (!counts) return null;
  if (counts.sets) return upset(counts);
  return venn({
    own: counts.own,
    peer: counts.peer,
    common: counts.common,
    name: peer.name,
    hidden: report.learn === "peer",
  });
}

function receipt({ receipt: signed, peers }, peer) {
  const names = peers ? peers.map(({ name }) => name) : [peer.name];
  if (!signed) return "This run has no receipt, because one side has no key.";
  return signed.signed
    ? `${joined([...names, "you"])} have signed the receipt. It says what was computed, and has nothing of the lists.`
    : `${joined(names)} did not sign the receipt. Yours alone proves nothing.`;
}

const unkept = (why) => `Your history does not have how this run ended: ${why}. Save the report.`;

function particulars(report) {
  const seconds = Object.values(report.seconds ?? {}).reduce((sum, each) => sum + each, 0);
  const entries = [
    ["Run", report.run],
    ["Began", moment(report.time)],
    ["Protocol", `${report.protocol}, ${report.security} security`],
    ["Compared", report.presets],
    ["Sent", report.bytes_sent === undefined ? "" : bytes(report.bytes_sent)],
    ["Received", report.bytes_received === undefined ? "" : bytes(report.bytes_received)],
    ["Took", duration(seconds)],
    ["Reference", report.reference],
    ["Receipt", report.receipt?.digest],
  ];
  return more("The particulars", make("p", {}, report.learned), pairs(entries.filter(([, value]) => value)));
}

export const saving = (run, what, said) => async () => {
  download(await call("save", { run, what }));
  said?.();
};

export function shown(run, peer, page) {
  const { report, rows, counts, unrecorded } = run;
  const { figure, words, rest } = answer(report, peer);
  const error = complaint();
  const saved = make("p", { class: "quiet", role: "status" });
  const told = (what) => () => {
    saved.textContent = `Your browser has ${what}. Look in its folder for downloads.`;
  };
  const save = [
    rows === null || rows === undefined
      ? null
      : button("Save the rows", saving(run.id, "rows", told("the rows")), "primary large", error),
    report.receipt
      ? button(
          "Save the receipt",
          saving(run.id, "receipt", told("the receipt")),
          rows === null ? "primary large" : "large",
          error,
        )
      : null,
    button("Save the report", saving(run.id, "report", told("the report")), "large", error),
  ];
  const drawn = picture(counts, peer, report);
  const heading = figure === undefined ? "Done" : "The result";
  const again = () => page.stage("list");
  return [
    make("h1", {}, heading),
    warnings([...(report.warnings ?? []), ...(unrecorded ? [unkept(unrecorded)] : [])]),
    make(
      "div",
      { class: drawn ? "outcome pictured" : "outcome" },
      make(
        "section",
        { class: "answer", "aria-label": "Result" },
        figure === undefined ? null : make("p", { class: "big" }, number(figure)),
        make("p", { class: figure === undefined ? "lead" : "counted" }, words),
        rest ? make("p", { class: "quiet" }, rest) : null,
        sums(report),
      ),
      drawn ? make("section", { class: "picture", "aria-label": "Picture of the sets" }, drawn) : null,
    ),
    part(
      "Keep it",
      rows ? make("p", {}, `${counted(rows, "row")} of your own list, in your own order.`) : null,
      make("p", { class: "quiet" }, receipt(report, peer)),
      error,
      make("div", { class: "acts" }, save),
      saved,
      particulars(report),
    ),
    make(
      "div",
      { class: "acts" },
      button("Run it again", again),
      button("To your partners", () => page.home()),
    ),
    make(
      "p",
      { class: "quiet aside" },
      `${rows ? "Save the rows before you close this tab. " : ""}${report.receipt ? "The receipt stays in your history." : ""}`,
    ),
  ];
}
