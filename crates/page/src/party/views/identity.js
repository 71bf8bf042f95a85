// This side's key: what it is, how to keep it safe, and how to take it to another browser.

import { call, kind } from "../ask.js";
import { button, complaint, copied, download, make, part, refuse } from "../dom.js";
import { moment } from "../words.js";

const WHERE = {
  browser:
    "This browser keeps your key, your partners and your receipts. If you clear the data of this site, they are gone. Save a copy.",
  program: "The program on this computer keeps your key, your partners and your receipts in its folder.",
};

function keep(again) {
  const error = complaint();
  const told = make("p", { class: "quiet", role: "status" });
  const save = async () => {
    download(await call("identity.export"));
    told.textContent = "Saved. Keep the file where nobody else can read it.";
  };
  const input = make("input", { type: "file", class: "unseen", accept: ".veilset,.json,application/json" });
  const ask = make("div", { class: "acts" });
  const take = async (file) => {
    await call("identity.import", { bytes: await file.arrayBuffer() });
    again("The key of the file is yours now.");
  };
  const label = () => make("label", { class: "button" }, "Use a saved key…", input);
  const rest = () => ask.replaceChildren(button("Save a copy of the key", save, "primary", error), label());
  input.addEventListener("change", () => {
    const file = input.files[0];
    if (!file) return;
    const cancel = button("Keep mine", rest);
    ask.replaceChildren(
      make("span", {}, `Replace your key with that of ${file.name}?`),
      button("Replace it", () => take(file), "danger", error),
      cancel,
    );
    cancel.focus();
    input.value = "";
  });
  rest();
  return part(
    "A copy of the key",
    make(
      "p",
      {},
      "Whoever has the copy can act as you. Your partners know you by this key: without it, they have to be invited again.",
    ),
    error,
    ask,
    told,
  );
}

export function show(place, page) {
  const box = make("div", { class: "stack" }, make("p", { class: "quiet" }, "Looking up your key…"));
  const draw = async (said) => {
    try {
      const [me, which] = [await call("me"), await kind()];
      const made = me.made ? `Made on ${moment(me.made)}.` : "";
      box.replaceChildren(
        part(
          "Your public key",
          make("p", { class: "quiet" }, `${WHERE[which] ?? ""} ${made}`),
          copied(me.key, "Copy the key"),
        ),
        keep(draw),
        make("p", { class: "quiet aside" }, `veilset ${me.version}, up to ${me.threads} threads.`),
      );
    } catch (refusal) {
      const error = complaint();
      box.replaceChildren(error);
      refuse(error, refusal);
    }
    if (said) page.say(said);
  };
  place.append(
    make("h1", {}, "Your key"),
    make("p", { class: "lead" }, "Your partners know you by this key. It is public: you may send it to anybody."),
    box,
  );
  draw();
}
