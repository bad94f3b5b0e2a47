// Actions for scans in a list: name an unsure one, export a selection, and delete all.

import * as api from "../services/api.js";
import { breakable, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { animalsIn, isKindOfAnimal, possibilities } from "./animals.js";
import { noAnimal } from "./certainty.js";
import { chooseAnimal } from "./choose-animal.js";
import { button, confirmed, element } from "./dom.js";
import { download } from "./download.js";
import { icon } from "./icons.js";
import { changeOf } from "./judgement.js";
import { portrait } from "./portrait.js";
import { toast } from "./toasts.js";

const mostCandidates = 3;

/** Buttons with the likeliest names of an unsure scan and, if that is known, its kind of animal. `judged(id)`: called after a correction. */
export function candidates(scan, judged) {
  const say = async (change) => {
    try {
      const before = Object.fromEntries(Object.keys(change).map((key) => [key, scan[key] ?? null]));
      await api.updateScan(scan.id, change);
      judged(scan.id);
      toast(text("thanks"), { isOfView: true, undo: () => api.updateScan(scan.id, before) });
    } catch (error) {
      toast(asProblem(error).message, { tone: "bad", isOfView: true });
    }
  };
  const animals = animalsIn(scan);
  const kind = animals[0].says;
  const likely = possibilities(scan, animals[0], 0).slice(0, mostCandidates);
  return element("div", { class: "candidates" },
    likely.map(({ label, name }, index) => button([portrait(label, { except: scan.id }), index === 0 ? icon("check") : null, breakable(name)], () => say({ corrected_label: label }))),
    isKindOfAnimal(kind) ? button(breakable(animals[0].name), () => say({ corrected_label: kind }))
      : likely.length === 0 ? button([icon("check"), text("noAnimal")], () => say({ corrected_label: noAnimal })) : null,
    button([icon("cross"), text("notRight")], async () => {
      const choice = await chooseAnimal(scan, animals);
      if (choice) await say(changeOf(choice, scan));
    }));
}

/** Saves these scans as a JSON Lines file. The service can import the file. Only those from the oldest to the newest are fetched. */
export async function exportScans(scans) {
  const times = scans.map(({ created_at: at }) => Date.parse(at)).sort((one, other) => one - other);
  const [from, to] = [times[0], times.at(-1) + 1].map((each) => new Date(each).toISOString());
  const lines = (await (await api.call(`/history/export?${api.query({ format: "jsonl", from, to })}`)).text()).split("\n");
  const wanted = new Set(scans.map(({ id }) => id));
  const kept = lines.filter((line) => line && wanted.has(JSON.parse(line).id));
  download(new Blob([`${kept.join("\n")}\n`], { type: "application/x-ndjson" }), "menagerie.jsonl");
}

/** Asks the person and then deletes all scans. Resolves with whether they were deleted. */
export async function deleteAll() {
  if (!(await confirmed(text("clearQuestion")))) return false;
  const undo = await api.deleteAllScans();
  toast(text("allDeleted"), { undo: undo.length > 0 && (() => api.undoDeletion(undo)) });
  return true;
}
