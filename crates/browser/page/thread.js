// A thread of the module.

import { importsOf, settle } from "./host.js";

onmessage = ({ data }) => {
  const { module, memory, threads, run, stack, locals } = data;
  try {
    const instance = new WebAssembly.Instance(module, importsOf(module, memory, threads, postMessage.bind(self)));
    settle(instance, { stack, locals });
    instance.exports.veilset_run(run);
    postMessage({ kind: "ended" });
  } catch (error) {
    postMessage({ kind: "fatal", text: String(error) });
  }
};
