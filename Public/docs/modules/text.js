// The little Markdown that descriptions use: paragraphs, lists of "- ", and `code`. Text never becomes markup.

import { element } from "../../parts/dom.js";

/** A line with its `code` set apart. */
export const inline = (text) =>
  text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));

/** Elements for a description; none for nothing. */
export function paragraphs(text = "") {
  const found = [];
  let list = null;
  for (const line of text.split("\n").filter((each) => each.trim())) {
    if (line.startsWith("- ")) {
      if (!list) found.push(list = element("ul"));
      list.append(element("li", {}, ...inline(line.slice(2))));
    } else {
      list = null;
      found.push(element("p", {}, ...inline(line)));
    }
  }
  return found;
}
