// What the module asks of the page, in whichever worker it runs. Each call leaves a message for the desk and returns.

// Bytes of randomness that a browser gives at once.
const MOST_RANDOM = 65536;

// Bytes of a thread's stack, and of what lies below it, which stays as it is as long as the stack is long enough.
export const STACK = 4 << 20;
export const GUARD = 64 << 10;

const utf8 = new TextDecoder();

// The imports of an instance on this memory; `post` takes messages to the desk.
export function importsOf(module, memory, threads, post) {
  // Copies, since nothing else may look at memory that threads share.
  const bytes = (place, length) => new Uint8Array(memory.buffer, place >>> 0, length >>> 0).slice();
  const text = (place, length) => utf8.decode(bytes(place, length));
  const host = {
    wall_clock: () => Date.now(),
    steady_clock: () => performance.timeOrigin + performance.now(),
    threads: () => threads,
    random(place, length) {
      for (let at = 0; at < length >>> 0; at += MOST_RANDOM) {
        const part = new Uint8Array(Math.min(MOST_RANDOM, (length >>> 0) - at));
        crypto.getRandomValues(part);
        new Uint8Array(memory.buffer).set(part, (place >>> 0) + at);
      }
    },
    log: (place, length) => post({ kind: "log", text: text(place, length) }),
    spawn: (run) => post({ kind: "spawn", run }),
    tell: (place, length, at, count) => post({ kind: "tell", text: text(place, length), bytes: bytes(at, count) }),
    open: (socket, url, length, name, of) =>
      post({ kind: "open", socket, url: text(url, length), name: text(name, of) }),
    send: (socket, at, length) => post({ kind: "send", socket, bytes: bytes(at, length) }),
    close: (socket) => post({ kind: "close", socket }),
    keep: (number, name, length, at, count) =>
      post({ kind: "keep", number, name: text(name, length), bytes: bytes(at, count) }),
    forget: (number, name, length) => post({ kind: "keep", number, name: text(name, length), bytes: null }),
  };
  const imports = { env: { memory }, host };
  // Libraries name functions of other bindings, which nothing calls.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] ??= () => {
      throw new Error(`${from}.${name} is not there`);
    };
  }
  return imports;
}

// Gives an instance the thread's own stack and variables, before it runs anything.
export function settle({ exports }, { stack, locals }) {
  exports.__stack_pointer.value = stack + GUARD + STACK;
  exports.__wasm_init_tls(locals);
}
