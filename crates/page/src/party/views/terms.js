// The agreed terms, to which this side says yes or no.

import { call } from "../ask.js";
import { button, complaint, list, make, more, part } from "../dom.js";
import { bytes, duration, number, operationTitle } from "../words.js";

const HOLDS = {
  "semi-honest": "It protects both lists as long as both programs follow the protocol.",
  malicious: "It protects both lists even if the other program cheats.",
};

export function warnings(texts) {
  if (!texts?.length) return null;
  const words = texts.map((warning) => (typeof warning === "string" ? warning : warning.text));
  return make(
    "div",
    { class: "warnings", role: "note" },
    make("h2", {}, words.length > 1 ? "Look at these first" : "Look at this first"),
    list(words),
  );
}

const side = (name, rows, own) =>
  make(
    "div",
    { class: own ? "side own" : "side" },
    make("span", { class: "figure" }, rows === null || rows === undefined ? "–" : number(rows)),
    make("span", { class: "hint" }, name),
  );

// Sentences that end with a point, one in a line each.
const sentences = (text) => text.split(/(?<=\.)\s+(?=\p{Lu}|\S+ learns)/u).map((words) => make("p", {}, words));

const costs = ({ seconds, sent, received }) =>
  make(
    "p",
    { class: "hint" },
    `This takes about ${duration(Math.max(1, seconds))}. About ${bytes(sent)} go to the other side, and ${bytes(received)} come from it.`,
  );

export function shown(run, peer, page, agreed, declined) {
  const {
    operation,
    protocol,
    security,
    learned,
    warnings: odd,
    own_rows: own,
    peer_rows: theirs,
    lines,
    price,
  } = run.briefing;
  const error = complaint();
  const yes = async () => {
    await call("consent", { run: run.id, yes: true });
    agreed();
  };
  const no = async () => {
    await call("consent", { run: run.id, yes: false });
    await declined();
  };
  return [
    make("h1", {}, `Do you agree with ${peer.name}?`),
    make("p", { class: "lead" }, "Both programs have agreed to these terms. Nothing is compared until you agree, too."),
    warnings(odd),
    part(
      operationTitle(operation),
      make("div", { class: "learned" }, sentences(learned)),
      make(
        "div",
        { class: "sides" },
        side("different entries on your list", own, true),
        side(`different entries on ${peer.name}’s list`, theirs, false),
      ),
      price ? costs(price) : null,
      more(
        "The exact terms",
        list(lines ?? [], "lines"),
        make("p", { class: "hint" }, `Protocol ${protocol}, ${security} security. ${HOLDS[security] ?? ""}`),
      ),
      error,
      make(
        "div",
        { class: "acts" },
        button("I agree", yes, "primary large", error),
        button("No, stop", no, "large", error),
      ),
    ),
  ];
}
