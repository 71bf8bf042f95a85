// What is computed, and who learns it, where two parties have not agreed on it before.

import { choice, field, fresh, make, more, select } from "../dom.js";
import { OPERATION_NAMES, operationTitle } from "../words.js";

export function learn(name, peer, chosen, changed) {
  const options = [
    ["me", "I alone"],
    ["peer", `${peer} alone`],
    ["both", "Both of us"],
  ];
  const box = make("fieldset", { class: "row" }, make("legend", {}, "Who learns the result?"));
  for (const [value, words] of options) box.append(choice(name, value, words, value === chosen));
  box.addEventListener("change", changed);
  return { box, get: () => box.querySelector("input:checked").value };
}

export const operations = (names = OPERATION_NAMES) =>
  select(
    names.map((name) => [name, operationTitle(name)]),
    names[0],
  );

export function order(peer, changed) {
  const operation = operations();
  const who = learn(fresh("learn"), peer, "both", changed);
  const reference = make("input", { autocomplete: "off", maxlength: "200" });
  const protocol = make("input", { autocomplete: "off", spellcheck: "false" });
  for (const input of [operation, reference, protocol]) input.addEventListener("change", changed);
  const shown = make(
    "div",
    { class: "order" },
    field("Result", operation, `${peer} must choose the same.`),
    who.box,
    more(
      "More choices",
      field(
        "Reference of your agreement",
        reference,
        "Such as a contract’s number. Both of you give the same, or both leave it empty.",
      ),
      field("Protocol", protocol, "Leave it empty, and the two programs choose."),
    ),
  );
  const text = (input) => input.value.trim() || undefined;
  const get = () => ({
    operation: operation.value,
    learn: who.get(),
    reference: text(reference),
    protocol: text(protocol),
  });
  return { shown, get };
}
