// Server-sent events (the WHATWG's text/event-stream), of an EventSource or of any text that comes bit by bit.

/** Calls `receive(name, data)` for each whole event; `data` is parsed JSON. */
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

/** Follows the events of `names` at `path` until `stop()` is called or one of `last` came. */
export function follow(path, names, receive, last = ["done", "failed"]) {
  const source = new EventSource(path);
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
  return { stop: () => source.close() };
}
