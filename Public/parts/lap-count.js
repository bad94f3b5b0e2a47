// Counts the laps in the stored tracks of a video, so that the person can move the finishing line afterwards. The time at which
// the centre of a box crosses the line is interpolated between two frames. Jitter on the line counts as one crossing.

/** A box is on one side of the line only beyond this distance, as a fraction of half the box's extent across the line. */
const hysteresis = 0.15;
/** How far beyond an end of the line a crossing still counts, as a fraction of the line's length. */
const margin = 0.1;

/** Returns the crossings of one track as `[{ at, isForward }]`. `at`: milliseconds. The line is `[[x1, y1], [x2, y2]]` in fractions of the picture. */
function passings(boxes, [[x1, y1], [x2, y2]]) {
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

/** Counts laps of all tracks with `label`. A lap ends at a crossing in the first crossing's direction, at least `minimumMs` after it began. */
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
