// Saves a file that the page made among the person's downloads.

import { element } from "./dom.js";

export function download(file, name = file.name) {
  const link = element("a", { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
