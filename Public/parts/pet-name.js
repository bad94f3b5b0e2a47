// An animal's name lives in the note of its scan, as a first line that begins with #: so it is found by the history's
// search, travels with every export, and is read by people too.

/** `"#Misu\nlimps"` is `{ name: "Misu", note: "limps" }`. */
export function splitNote(whole = "") {
  const [, name = "", rest] = /^#([^\n]+)(?:\n([\s\S]*))?$/.exec(whole ?? "") ?? [];
  return name ? { name: name.trim(), note: rest ?? "" } : { name: "", note: whole ?? "" };
}

/** Null where there is neither. */
export function joinNote(name, note) {
  const line = name.trim().replace(/^#+/, "").replace(/\s+/g, " ");
  const whole = line ? `#${line}${note.trim() ? `\n${note.trim()}` : ""}` : note.trim();
  return whole || null;
}
