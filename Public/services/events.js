// Reads server-sent events (the WHATWG's text/event-stream) from an EventSource or from text that arrives in pieces.

/** Calls `receive(name, data)` for each complete event. `data` is parsed JSON. An event without JSON is skipped. */
export class EventReader {
  #rest = "";

  constructor(receive) {
    this.receive = receive;
  }

  read(text) {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop();
    for (const block of blocks) {
      let name = "message";
      const data = [];
      for (const line of block.split(/\r?\n/)) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).trim());
      }
      if (data.length === 0) continue;
      try {
        this.receive(name, JSON.parse(data.join("\n")));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
  }
}

const secondsToReopen = 5;

/**
 * Receives the events in `names` from `path`, until `stop()` is called or an event in `last` arrives.
 *
 * If the service refuses the stream, for example because its subject was deleted, `receive` gets an event `refused`.
 */
export function follow(path, names, receive, last = ["done", "failed"]) {
  let source;
  let timer;
  const open = () => {
    source = new EventSource(path);
    for (const name of names) {
      source.addEventListener(name, (event) => {
        if (event.data === undefined) return; // the connection's own error
        let data;
        try {
          data = JSON.parse(event.data);
        } catch {
          return;
        }
        if (last.includes(name)) source.close();
        receive(name, data);
      });
    }
    source.addEventListener("error", () => {
      // The browser reopens a lost connection itself.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, secondsToReopen * 1000);
      receive("refused", {});
    });
  };
  open();
  return {
    stop() {
      clearTimeout(timer);
      source.close();
    },
  };
}
