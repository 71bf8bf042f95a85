// The agreed terms, to which this side says yes or no.

import { call } from "../ask.js";
import { button, complaint, list, make, more, part } from "../dom.js";
import { bytes, duration, number, operationTitle } from "../words.js";

const HOLDS = {
  "semi-honest": "It protects the lists as long as the programs follow the protocol.",
  malicious: "It protects the lists even if the other program cheats.",
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

function costs({ seconds, sent, received }, isOfSeveral) {
  const [to, from] = isOfSeveral ? ["the other sides", "them"] : ["the other side", "it"];
  const takes = `This takes about ${duration(Math.max(1, seconds))}.`;
  return make(
    "p",
    { class: "hint" },
    `${takes} About ${bytes(sent)} go to ${to}, and ${bytes(received)} come from ${from}.`,
  );
}

export function shown(run, peer, page, agreed, declined) {
  const { operation, protocol, security, learned, warnings: odd, own_rows: own, peers, lines, price } = run.briefing;
  const isOfSeveral = peers.length > 1;
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
    make(
      "p",
      { class: "lead" },
      `${isOfSeveral ? "All" : "Both"} programs have agreed to these terms. Nothing is compared until you agree, too.`,
    ),
    warnings(odd),
    part(
      operationTitle(operation, isOfSeveral),
      make("div", { class: "learned" }, sentences(learned)),
      make(
        "div",
        { class: "sides" },
        side("different entries on your list", own, true),
        peers.map(({ name, rows }) => side(`different entries on ${name}’s list`, rows, false)),
      ),
      price ? costs(price, isOfSeveral) : null,
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
