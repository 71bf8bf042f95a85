// WebSockets to relays.

// Milliseconds between two looks at what has left the browser, which says nothing by itself.
const GLANCE = 4;

// The most bytes of a relay's message.
const LONGEST = 65536;

export class Sockets {
  #open = new Map();
  #tell;
  // Bytes that went to each address.
  #sent = new Map();

  constructor(tell) {
    this.#tell = tell;
  }

  open({ socket, url, name }) {
    let web;
    try {
      web = new WebSocket(url, name);
    } catch {
      this.#tell.closed(socket, 1006);
      return;
    }
    web.binaryType = "arraybuffer";
    const state = { web, url, unsent: 0, timer: null };
    this.#open.set(socket, state);
    web.onopen = () => this.#tell.opened(socket);
    web.onmessage = ({ data }) => {
      // A relay sends no texts, and nothing longer.
      if (typeof data === "string" || data.byteLength > LONGEST) web.close();
      else this.#tell.arrived(socket, new Uint8Array(data));
    };
    web.onclose = ({ code }) => {
      clearTimeout(state.timer);
      this.#open.delete(socket);
      this.#tell.closed(socket, code);
    };
  }

  send({ socket, bytes }) {
    const state = this.#open.get(socket);
    if (!state || state.web.readyState !== WebSocket.OPEN) return;
    state.web.send(bytes);
    state.unsent += bytes.length;
    this.#sent.set(state.url, (this.#sent.get(state.url) ?? 0) + bytes.length);
    state.timer ??= setTimeout(() => this.#look(socket), GLANCE);
  }

  #look(socket) {
    const state = this.#open.get(socket);
    if (!state) return;
    const left = state.unsent - state.web.bufferedAmount;
    state.unsent -= left;
    if (left > 0) this.#tell.left(socket, left);
    state.timer = state.unsent > 0 ? setTimeout(() => this.#look(socket), GLANCE) : null;
  }

  close(socket) {
    this.#open.get(socket)?.web.close();
  }

  // Closes them all.
  end() {
    for (const { web } of this.#open.values()) web.close();
  }

  sent() {
    return [...this.#sent].map(([to, bytes]) => ({ to, bytes }));
  }
}
