// Replaces a part of the page without a jump for the person who uses it.

const stops = "a, button, input, select, textarea, summary, [tabindex]";

/** Replaces the children of `parent`. Open `details` stay open, and the focus stays at its position or moves to the last one. */
export function redraw(parent, ...nodes) {
  const unfolded = [...parent.querySelectorAll("details")].map(({ open }) => open);
  const focused = [...parent.querySelectorAll(stops)].indexOf(document.activeElement);
  parent.replaceChildren(...nodes);
  parent.querySelectorAll("details").forEach((each, index) => { each.open = unfolded[index] ?? each.open; });
  const places = [...parent.querySelectorAll(stops)];
  if (focused >= 0) (places[focused] ?? places.at(-1))?.focus({ preventScroll: true });
}
