// Laps counted anew from the tracks of a film that was looked at before, so that its line can be moved: when the middle of a box
// passes the line is interpolated between two frames, and who trembles on it passes once.

/** How far beyond the line a box has to be, as a share of its reach across it. */
const hysteresis = 0.15;
/** How far beyond the ends of the line its passing still counts, as a share of its length. */
const margin = 0.1;

/** `[{ at, isForward }]` of one track; `line`: `[[x1, y1], [x2, y2]]` in fractions; `at` in milliseconds. */
export function passings(boxes, [[x1, y1], [x2, y2]]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy) || 1e-9;
  const found = [];
  let side = 0;
  let before = null;
  for (const { at_ms: at, x, y, width, height } of boxes) {
    const [px, py] = [x + width / 2 - x1, y + height / 2 - y1];
    const sample = { at, distance: (dx * py - dy * px) / length, along: (px * dx + py * dy) / (length * length) };
    const limit = (hysteresis * (Math.abs(dy) * width + Math.abs(dx) * height)) / length / 2;
    const now = Math.abs(sample.distance) > limit ? Math.sign(sample.distance) : 0;
    if (now !== 0 && side !== 0 && now !== side) {
      const share = before.distance / (before.distance - sample.distance);
      const along = before.along + share * (sample.along - before.along);
      if (along >= -margin && along <= 1 + margin) found.push({ at: before.at + share * (at - before.at), isForward: now > 0 });
    }
    if (now !== 0) [side, before] = [now, sample];
  }
  return found;
}

/** The laps of whatever has `label`: each time that one passes in the way of the first, `minimumMs` or more after the last. */
export function countLaps(tracks, { label, name }, line, minimumMs) {
  const all = tracks.filter((track) => track.label === label)
    .flatMap(({ boxes = [] }) => passings(boxes, line)).sort((one, other) => one.at - other.at);
  const laps = [];
  let started = null;
  for (const { at, isForward } of all) {
    if (isForward !== all[0].isForward) continue;
    if (started !== null && at - started < minimumMs) continue;
    if (started !== null) laps.push({ number: laps.length + 1, runner: 1, label, name, lap_ms: at - started });
    started = at;
  }
  return { laps, passed: all.length, best: laps.length ? Math.min(...laps.map(({ lap_ms: each }) => each)) : null };
}
