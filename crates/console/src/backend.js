// The program on this machine does the work.

import { call as ask, follow } from "./gate.js";
import { answered, gone, listen, refused, resources, tell } from "./party.js";

const ANSWER = "x-veilset-answer";

const GONE = {
  message: "The program on this computer has ended.",
  next: "Start veilset console again, and open the new address.",
};

async function called(name, args) {
  let answer;
  try {
    answer = await ask("call", { method: "POST", body: JSON.stringify({ call: name, args }) });
  } catch {
    throw refused(GONE);
  }
  if (!answer.ok) throw refused({ message: "The program could not answer.", next: "Try it again." });
  const beside = answer.headers.get(ANSWER);
  if (beside) return answered(name, { answer: JSON.parse(decodeURIComponent(beside)) }, await answer.arrayBuffer());
  return answered(name, await answer.json());
}

const ended = () => gone(GONE);
follow("events", tell).then(ended, ended);

export const backend = {
  kind: "program",
  async call(name, args = {}) {
    // The page sends nothing itself, and the program's own connections are not the page's.
    return name === "loaded" ? { resources: resources(), sent: [] } : called(name, args);
  },
  listen,
};
