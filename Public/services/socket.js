// The live connection. It sends one frame at a time: a slow network lowers the frame rate and adds no delay.

/**
 * Sends frames to `GET /live` and passes the answers to `receive(message)`, as parsed JSON.
 *
 * `nextFrame()` resolves with `{ picture, takenAt }`, a Blob and its time in milliseconds, or with null if there is no
 * frame at the moment. `opened()` and `ended(wasOpen)` are called once, when the connection opens and closes.
 */
export class LiveSocket {
  #socket;
  #isOpen = false;
  #isStopped = false;
  #timer = null;
  /** The number of frames sent. */
  #frames = 0;

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
      // The answer to a frame that was given up comes beside that to the newest.
      if ((message.type === "answer" && !(message.frame < this.#frames)) || message.type === "problem") this.#sendFrame();
    });
    this.#socket.addEventListener("close", () => {
      clearTimeout(this.#timer);
      // A connection that was stopped may close after the next one has opened.
      if (!this.#isStopped) ended(this.#isOpen);
    });
  }

  async #sendFrame() {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const frame = await this.nextFrame();
    if (this.#isStopped || this.#socket.readyState !== WebSocket.OPEN) return;
    if (frame) {
      this.#frames += 1;
      this.send({ type: "frame", at_ms: frame.takenAt });
      this.#socket.send(frame.picture);
    }
    // Try again soon if there was no frame, and later if the answer does not arrive.
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
