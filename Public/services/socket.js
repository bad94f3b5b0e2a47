// The live connection: one frame under way at a time, so that a slow network costs frames and not seconds.

/**
 * Sends frames to `GET /live` and hands on what comes back.
 *
 * `nextFrame()` gives a promise of `{ picture, takenAt }`, a Blob and its milliseconds, or of null when there is none now; `receive(message)` takes parsed JSON;
 * `ended(wasOpen)` is called once.
 */
export class LiveSocket {
  #socket;
  #isOpen = false;
  #isStopped = false;
  #timer = null;

  constructor(query, { nextFrame, receive, opened, ended }) {
    this.nextFrame = nextFrame;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.#socket = new WebSocket(`${scheme}//${location.host}/live?${query}`);
    this.#socket.addEventListener("open", () => {
      this.#isOpen = true;
      opened?.();
      this.#sendFrame();
    });
    this.#socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      receive(message);
      if (message.type === "answer" || message.type === "problem") this.#sendFrame();
    });
    this.#socket.addEventListener("close", () => {
      clearTimeout(this.#timer);
      ended(this.#isOpen);
    });
  }

  async #sendFrame() {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const frame = await this.nextFrame();
    if (this.#isStopped || this.#socket.readyState !== WebSocket.OPEN) return;
    if (frame) {
      this.send({ type: "frame", at_ms: frame.takenAt });
      this.#socket.send(frame.picture);
    }
    // No frame now, or an answer that never comes: try again.
    this.#timer = setTimeout(() => this.#sendFrame(), frame ? 3000 : 100);
  }

  send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }
}
