// Drawn faces of animals and fruit. A cat has the coat of its breed; a dog has the shape of its breed group.

import { svg } from "./dom.js";

const path = (d, fill, more = {}) => svg("path", { d, fill, ...more });
const dot = (cx, cy, r, fill) => svg("circle", { cx, cy, r, fill });
const oval = (cx, cy, rx, ry, fill) => svg("ellipse", { cx, cy, rx, ry, fill });
const stroke = (d, color, width = 2) => path(d, "none", { stroke: color, "stroke-width": width, "stroke-linecap": "round" });

/** The coats of cats, by article id: fur colour, second colour for the markings, eye colour, and the names of the features. */
const coats = {
  siamese: ["#e9dcc5", "#4b3a31", "#4f86c6", "points"], thai: ["#efe3cf", "#54423a", "#4f86c6", "points"],
  balinese: ["#efe4d2", "#5a463a", "#4f86c6", "points long"], birman: ["#efe2cc", "#5b4537", "#3f76bd", "points long"],
  ragdoll: ["#efe8dd", "#7a6657", "#3f76bd", "points long"], himalayan: ["#efe6d6", "#594639", "#3f76bd", "points long"],
  tonkinese: ["#cfb298", "#5d4535", "#6fb3b3", "points"], snowshoe: ["#e6d7c0", "#5a4a3e", "#4f86c6", "points"],
  javanese: ["#ecdfcb", "#8f6b4d", "#4f86c6", "points long"], bombay: ["#26262a", "#1b1b1e", "#d98e2b", ""],
  korat: ["#7f8a96", "#74808c", "#8cba3f", ""], russian_blue: ["#8793a1", "#7b8795", "#67b26f", ""], chartreux: ["#7d8894", "#727d89", "#cf8a2c", ""],
  british_shorthair: ["#8a94a0", "#7f8995", "#d98e2b", ""], nebelung: ["#8793a1", "#7b8795", "#7fb24f", "long"],
  havana_brown: ["#6b4530", "#5c3a28", "#7fa64a", ""], burmese: ["#6a4a38", "#553a2c", "#d6a52c", ""], sphynx: ["#e3b8a6", "#d6a592", "#7aa8a0", "bald"],
  donskoy: ["#d9ab98", "#cc9a86", "#7aa8a0", "bald"], peterbald: ["#dfb5a3", "#d0a28f", "#6d9fc0", "bald"],
  bengal: ["#d3a266", "#8a5a2f", "#6f9f4a", "spots"], egyptian_mau: ["#b9b3a8", "#4d4a45", "#86b04a", "spots"], ocicat: ["#cfae84", "#6f5234", "#c9952f", "spots"],
  savannah: ["#d8b176", "#3f3122", "#9aa84a", "spots"], serengeti: ["#dcb478", "#3a2e22", "#b5943a", "spots"], chausie: ["#c39a68", "#7a5a3a", "#c0a040", "stripes"],
  toyger: ["#d08b45", "#5d3417", "#7b9a45", "stripes"], european_wildcat: ["#a8977c", "#5c503f", "#9aa75a", "stripes"], calico: ["#f6f1e8", "#c8772f", "#7fa84f", "patches"],
  abyssinian: ["#b97740", "#8f5526", "#7fa04a", ""], somali: ["#b97740", "#8f5526", "#7fa04a", "long"], chinchilla: ["#f0efec", "#d8d8d5", "#4f9f7a", "long"],
  persian: ["#f0e6d6", "#e3d5bf", "#d08a2e", "long"], turkish_angora: ["#faf8f3", "#efe9dd", "#5b93c7", "long"], turkish_van: ["#faf8f3", "#b8642d", "#d59a35", "patches long"],
  khao_manee: ["#fbfaf6", "#efeae0", "#5b93c7", ""], maine_coon: ["#8d6b4a", "#4b3626", "#a7a043", "stripes long"], norwegian_forest_cat: ["#a08a70", "#544535", "#8fa04a", "stripes long"],
  siberian: ["#9d8b78", "#54483c", "#9aa64a", "stripes long"], lykoi: ["#5b5a5c", "#3a393b", "#d1a52f", ""], scottish_fold: ["#a7a9ab", "#74777a", "#d19a33", "folded"],
  amur_leopard: ["#d9a857", "#4a3420", "#8fb04a", "spots"], snow_leopard: ["#d3cec4", "#55524c", "#9fb7a3", "spots long"],
  amur_tiger: ["#d9853a", "#33241a", "#a5a04a", "stripes long"], asiatic_lion: ["#d3a45f", "#8a5a2c", "#b58b3a", "mane"],
  eurasian_lynx: ["#b89468", "#6d5335", "#b9a04a", "spots long"], pallass_cat: ["#a79d8d", "#5d564b", "#c0a94a", "stripes long"],
  american_curl: ["#b99a76", "#7b5f43", "#85a04e", "long"], sand_cat: ["#dcc294", "#b08d5a", "#c4a648", "stripes"], american_shorthair: ["#b5b8ba", "#4a4c4e", "#8aa84a", "stripes"],
};
const plainCats = [["#c9905a", "#8a5a30", "#86a347", "stripes"], ["#a59a8c", "#5f574d", "#a9a14a", "stripes"], ["#d8c3a4", "#a98a63", "#8aa35a", ""], ["#7d7a78", "#5a5856", "#d09a35", ""]];

/** Chooses one entry of `list` by the letters of `id`, so that the same animal always looks the same. */
const pick = (list, id) => list[[...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % list.length];

function cat({ id, group }) {
  const [fur, mark, eyes, marks] = coats[id] ?? pick(plainCats, id);
  const has = (name) => marks.includes(name) || (name === "long" && ["longhair", "semi_longhair"].includes(group));
  const ear = has("points") ? mark : fur;
  const ears = has("folded")
    ? [path("M24 42c2-12 12-16 20-14l-8 18zM96 42c-2-12-12-16-20-14l8 18z", fur), path("M26 42c8-2 10-6 18-14-2 8-6 14-12 17z", mark)]
    : [path("M22 52L24 14l26 20zM98 52L96 14 70 34z", ear), path("M28 42l1-19 14 12zM92 42l-1-19-14 12z", has("bald") ? "#c98f7d" : "#e9b8a4")];
  const ruff = has("mane") ? [dot(60, 64, 56, mark)] : has("long") ? [path("M14 66c-4 10-2 18 4 22-2 4 4 10 12 12 8 8 52 8 60 0 8-2 14-8 12-12 6-4 8-12 4-22z", fur)] : [];
  const head = [path("M60 28c26 0 42 16 42 40s-18 38-42 38-42-14-42-38 16-40 42-40z", fur)];
  const marking = [];
  if (has("points")) marking.push(path("M60 48c18 0 26 16 26 30s-12 26-26 26-26-12-26-26 8-30 26-30z", mark, { opacity: 0.9 }));
  if (has("stripes")) marking.push(stroke("M60 31v15M50 33l3 13M70 33l-3 13M22 66l13 4M22 78l13 1M98 66l-13 4M98 78l-13 1", mark, 4));
  if (has("spots")) marking.push(...[[46, 38], [60, 36], [74, 38], [52, 47], [68, 47], [27, 66], [29, 79], [93, 66], [91, 79], [37, 92], [83, 92]].map(([x, y]) => oval(x, y, 4, 3, mark)));
  if (has("patches")) marking.push(path("M60 29c-22 0-38 12-41 30 12 6 26 2 32-8 4-7 8-14 9-22z", mark), path("M101 60c-8-2-18 2-22 10 6 8 14 10 21 8 2-6 2-12 1-18z", id === "calico" ? "#3a332d" : mark));
  if (has("bald")) marking.push(stroke("M46 40c8-4 20-4 28 0M44 46c10-4 22-4 32 0", mark, 2));
  return [...ears, ...ruff, ...head, ...marking,
    oval(43, 68, 8.5, 8, eyes), oval(77, 68, 8.5, 8, eyes), oval(43, 68, 2.6, 7, "#1c1a18"), oval(77, 68, 2.6, 7, "#1c1a18"), dot(45, 65, 1.8, "#fff"), dot(79, 65, 1.8, "#fff"),
    oval(52, 90, 10, 8, "#fff7ee"), oval(68, 90, 10, 8, "#fff7ee"), path("M54 80h12l-6 7z", "#c0736a"),
    stroke("M60 87v4c-2 4-6 5-9 4M60 91c2 4 6 5 9 4", "#6b4a44", 1.6), stroke("M36 88l-20-3M36 92l-19 4M84 88l20-3M84 92l19 4", "#8a7d70", 1.4)];
}

/** Dogs by breed group: fur colour and second colour, then the shape of the ears and other features. */
const dogs = {
  terrier: [["#b98a58", "#6b4a2c"], "button beard"], molosser_and_schnauzer: [["#9a6d44", "#3b2b20"], "drop wide"], companion: [["#ead9bd", "#b98f5e"], "drop small"],
  herding: [["#4a3f36", "#c58b4e"], "up"], retriever_and_water: [["#d8ae6d", "#b88747"], "drop"], spitz_and_primitive: [["#b9b4ac", "#f4f0e8"], "up mask"],
  scent_hound: [["#a9713f", "#f6efe2"], "long mask"], sighthound: [["#c4b39c", "#8f7d67"], "rose narrow"], pointing: [["#8d4f2d", "#f3ebdf"], "long"], wild: [["#b4823f", "#3d2d1c"], "up"],
};

function dog({ group, id }) {
  const [[fur, mark], shape] = dogs[group] ?? dogs.retriever_and_water;
  const has = (name) => shape.includes(name);
  const halfWidth = has("narrow") ? 27 : has("wide") ? 40 : 35;
  const ears = has("up") ? [path("M26 54L28 12l26 24zM94 54l-2-42-26 24z", fur), path("M32 44l1-20 12 13zM88 44l-1-20-12 13z", "#e3b5a0")]
    : has("rose") ? [path("M34 40c-16-2-22 10-20 22 10 0 20-6 26-16zM86 40c16-2 22 10 20 22-10 0-20-6-26-16z", mark)]
      : has("button") ? [path("M24 48c0-18 14-24 28-18L34 56zM96 48c0-18-14-24-28-18l18 26z", mark)]
        : [path(`M32 34c-22 0-26 ${has("long") ? 34 : 22}-20 ${has("long") ? 62 : 46} 14 0 24-22 28-40zM88 34c22 0 26 ${has("long") ? 34 : 22} 20 ${has("long") ? 62 : 46}-14 0-24-22-28-40z`, mark)];
  const left = 60 - halfWidth;
  const right = 60 + halfWidth;
  const head = path(`M60 24C${right} 24 ${right + 2} 48 ${right - 2} 66c-3 18-12 40-${halfWidth - 2} 40s-${halfWidth - 7}-22-${halfWidth - 2}-40C${left - 2} 48 ${left} 24 60 24z`, fur);
  const mask = has("mask") ? [path("M60 26c6 10 8 24 8 34 12 4 18 14 18 24 0 12-14 22-26 22s-26-10-26-22c0-10 6-20 18-24 0-10 2-24 8-34z", mark)] : [];
  const muzzle = oval(60, 86, has("narrow") ? 15 : 20, 18, has("mask") ? mark : pick(["#f4e7d3", "#efe2cf", mark], id));
  const beard = has("beard") ? [path("M40 88c2 18 12 24 20 24s18-6 20-24c-6 8-34 8-40 0z", mark)] : [];
  return [...ears, head, ...mask, muzzle, ...beard,
    dot(44, 60, 5.5, "#221a15"), dot(76, 60, 5.5, "#221a15"), dot(46, 58, 1.7, "#fff"), dot(78, 58, 1.7, "#fff"),
    path("M50 74h20c1 8-6 12-10 12s-11-4-10-12z", "#241c18"), stroke("M60 86v6c-3 5-9 6-13 4M60 92c3 5 9 6 13 4", "#3b2c24", 2)];
}

/** Other mammals by article id: fur colour, muzzle colour, and the names of the distinctive features. */
const mammals = {
  red_panda: ["#b5532a", "#fbf3e6", "brows"], brown_bear: ["#7a5134", "#c49a6c", ""], wolverine: ["#4b382b", "#b0906a", "brows"],
  eurasian_otter: ["#7a5a44", "#e6d5bf", "small"], european_mink: ["#4a3529", "#f1e9df", "small"], meerkat: ["#c2a577", "#efe3cd", "patches small"],
  ring_tailed_lemur: ["#8f9296", "#f2f0ea", "patches brows"], linnaeuss_two_toed_sloth: ["#a58d6e", "#e3d2b3", "patches bare"],
  barbary_macaque: ["#a98d63", "#e2b99b", "face"], hamadryas_baboon: ["#9c9790", "#d79a8a", "mane"], pygmy_marmoset: ["#a08258", "#e0cfae", "tufts"],
  cotton_top_tamarin: ["#5f5149", "#8d7565", "crest"], golden_lion_tamarin: ["#d9862e", "#a9745c", "mane"], white_faced_saki: ["#2c2a2b", "#f0ebe2", "face"],
  domestic_rabbit: ["#b9a58d", "#f4ece0", "long"], red_necked_wallaby: ["#a08468", "#e9dac6", "long"], red_squirrel: ["#b5602f", "#f6ead8", "tufts"],
  grey_seal: ["#7d848a", "#b9bec1", "bare"], european_hedgehog: ["#c4a57e", "#eadbc2", "spines"],
};

function mammal({ id }) {
  const [fur, mouth, marks] = mammals[id] ?? [pick(["#a87a4b", "#8b8378", "#c2a16d", "#7b5a44", "#6f7a72"], id), "#f0e3d1", ""];
  const has = (name) => marks.includes(name);
  const two = (cx, cy, rx, ry, fill) => [oval(cx, cy, rx, ry, fill), oval(120 - cx, cy, rx, ry, fill)];
  const ears = has("bare") ? [] : has("long") ? [...two(42, 22, 10, 24, fur), ...two(42, 24, 5, 17, "#e0b8a0")]
    : has("tufts") ? [path("M22 50l2-42 24 22zM98 50L96 8 72 30z", fur)] : has("small") ? two(24, 48, 9, 9, fur)
      : [...two(30, 36, 13, 13, fur), ...two(30, 36, 7, 7, has("brows") ? "#f6efe4" : "#e0b8a0")];
  return [
    ...(has("mane") ? [dot(60, 66, 54, fur), dot(60, 66, 46, mouth)] : []), ...(has("spines") ? [path("M8 84L4 62l10 4-2-22 13 8 2-22 15 12 6-20 12 16 12-16 6 20 15-12 2 22 13-8-2 22 10-4-4 22z", "#5d4a3b")] : []),
    ...ears, path("M60 22c28 0 44 20 44 44s-20 42-44 42-44-18-44-42 16-44 44-44z", fur),
    ...(has("face") ? [oval(60, 66, 33, 36, mouth)] : [oval(60, 84, 24, 19, mouth)]), ...(has("crest") ? [path("M60 44C44 30 40 14 44 4c6 6 10 8 16 8s10-2 16-8c4 10 0 26-16 40z", "#f4f1ea")] : []),
    ...(has("brows") ? [...two(40, 45, 9, 5, mouth), ...two(25, 78, 8, 12, mouth)] : []), ...(has("patches") ? two(42, 62, 13, 12, "#3a302b") : []),
    ...two(42, 60, 5.5, 5.5, "#221a15"), dot(44, 58, 1.7, "#fff"), dot(80, 58, 1.7, "#fff"),
    path("M51 76h18c0 7-5 10-9 10s-9-3-9-10z", "#2a211c"), stroke("M60 86v6c-3 4-8 4-11 3M60 92c3 4 8 4 11 3", "#4a3a30", 2)];
}
/** Hoofed animals by article id: fur colour, muzzle colour, and what grows on the head. */
const hoofed = {
  alpaca: ["#d9bd95", "#f3e6d2", "tuft"], vicuna: ["#c79257", "#f0e0c6", "tuft"], bactrian_camel: ["#b98a54", "#d9b98c", "tuft"],
  moose: ["#6a4c36", "#8a6c54", "antlers"], european_forest_reindeer: ["#7b6a59", "#b9aa98", "antlers"], musk_ox: ["#4a372a", "#8f7a66", "horns"],
  european_bison: ["#6b4429", "#3e2a1c", "horns"], goitered_gazelle: ["#c9a06b", "#f0e4d0", "horns"], markhor: ["#a8906f", "#e6dccb", "horns"],
  przewalskis_horse: ["#c3955e", "#e9d9bf", "mane"], pygmy_goat: ["#8d8378", "#d9d2c8", "horns"], finnsheep: ["#efeae0", "#d7cbb9", "tuft"],
};

function hoof({ id }) {
  const [fur, muzzle, top] = hoofed[id];
  const crown = {
    tuft: [path("M40 34c-6-16 8-24 20-20 12-4 26 4 20 20z", muzzle)],
    antlers: [stroke("M44 34C30 30 20 20 18 6M26 22l-14-2M34 28L30 10M76 34c14-4 24-14 26-28M94 22l14-2M86 28l4-18", "#8a6a45", 5)],
    horns: [stroke("M44 34C28 34 20 24 22 10M76 34c16 0 24-10 22-24", "#5d5044", 7)],
    mane: [path("M54 8h12l4 34H50z", "#3b2b20"), path("M40 34l-4-20 14 12zM80 34l4-20-14 12z", fur)],
  }[top];
  return [...crown, path("M40 46c-14-6-26 0-28 8 10 6 22 4 30-2zM80 46c14-6 26 0 28 8-10 6-22 4-30-2z", fur),
    path("M60 28c20 0 26 14 24 32-2 22-8 52-24 52s-22-30-24-52c-2-18 4-32 24-32z", fur), oval(60, 94, 19, 18, muzzle),
    dot(45, 58, 5, "#221a15"), dot(75, 58, 5, "#221a15"), oval(53, 90, 3, 4, "#3a2c22"), oval(67, 90, 3, 4, "#3a2c22"), stroke("M52 102c5 3 11 3 16 0", "#4a3a2e", 2)];
}

const wildDogs = new Set(["arctic_fox", "dhole", "african_hunting_dog", "dingo"]);

/** Birds by article id: the colours of the wings and the breast. */
const birds = {
  snowy_owl: ["#dfe2e4", "#fbfbf9"], great_grey_owl: ["#8b8a86", "#cfccc5"], eurasian_eagle_owl: ["#8a5f33", "#dcbd8f"], white_tailed_eagle: ["#6d5843", "#cbb593"],
  bearded_vulture: ["#3f3a36", "#d9954f"], cinereous_vulture: ["#43352c", "#6b5848"], blue_and_yellow_macaw: ["#1f77b8", "#f2c230"], indian_peafowl: ["#1f6f8a", "#2f8f6a"],
  domestic_chicken: ["#b5602f", "#e9c28a"], barnacle_goose: ["#3a3d42", "#f2f2ef"], emu: ["#5b4a3d", "#8a7866"], red_crowned_crane: ["#d8d9d6", "#ffffff"],
};
const bird = ({ id }) => {
  const [wing, breast] = birds[id] ?? pick([["#4d7f95", "#e8eef0"], ["#8a6f4d", "#efe4d0"], ["#3d4147", "#f0efec"], ["#b8683f", "#f6e6cf"]], id);
  return [path("M18 112c-4-46 8-92 42-92s46 46 42 92z", wing), path("M36 112c-2-30 6-46 24-46s26 16 24 46z", breast),
    dot(44, 52, 12, "#fff"), dot(76, 52, 12, "#fff"), dot(45, 53, 6, "#1d2225"), dot(75, 53, 6, "#1d2225"), path("M51 60h18l-9 17z", "#dd9a2c"),
    stroke("M48 86c3 3 7 3 10 0M62 86c3 3 7 3 10 0M55 96c3 3 7 3 10 0", wing, 2)];
};
const tortoise = () => [oval(60, 92, 30, 20, "#b9a468"), path("M10 80c2-38 26-58 50-58s48 20 50 58c-16 8-84 8-100 0z", "#7d6a35"),
  ...[[60, 40], [38, 58], [82, 58], [60, 66]].map(([x, y]) => path(`M${x - 11} ${y}l6-10h10l6 10-6 10h-10z`, "#c9b06a", { stroke: "#5a4a24", "stroke-width": 2 })),
  dot(46, 88, 5, "#1e2415"), dot(74, 88, 5, "#1e2415"), dot(48, 86, 1.6, "#fff"), dot(76, 86, 1.6, "#fff"), stroke("M50 100c6 4 14 4 20 0", "#5a4a24", 2)];
const reptile = ({ id }) => (id === "hermanns_tortoise" ? tortoise() : [path("M12 84c10-34 38-50 70-44 18 4 28 14 30 26-6 10-20 12-34 10 2 18-8 32-28 32-22 0-36-10-38-24z", "#6f8f4e"),
  path("M30 92c12 8 30 10 40 2-4 12-30 14-40-2z", "#cfd9a6"), ...[[40, 62], [54, 54], [50, 74], [66, 66], [34, 78]].map(([x, y]) => dot(x, y, 4.5, "#4f6b36")),
  dot(90, 56, 7, "#f2d46b"), oval(90, 56, 2, 6, "#1e2415"), ...(id === "green_iguana" ? [] : [stroke("M112 66l12 2M112 66l10-6", "#b5453c", 2)]), stroke("M84 72c8 1 16 0 24-4", "#3f5530", 2)]);
const amphibian = () => [oval(60, 76, 46, 32, "#2f7fb8"), dot(36, 44, 15, "#2f7fb8"), dot(84, 44, 15, "#2f7fb8"), dot(36, 44, 9, "#f4efd8"), dot(84, 44, 9, "#f4efd8"),
  dot(36, 44, 5, "#191b1c"), dot(84, 44, 5, "#191b1c"), stroke("M32 80c16 14 40 14 56 0", "#173f5d", 3), ...[[40, 66], [62, 62], [78, 68], [52, 98], [76, 96]].map(([x, y]) => dot(x, y, 4, "#16354b"))];
const insect = () => [oval(60, 38, 18, 16, "#8a4a2b"), oval(60, 64, 12, 14, "#9c5733"), oval(60, 94, 20, 20, "#7c4125"), stroke("M48 62L26 54M48 66L22 76M50 70L30 92M72 62l22-8M72 66l26 10M70 70l20 22M52 26L38 10M68 26l14-16", "#5b3320", 4),
  dot(52, 36, 3.5, "#1d130d"), dot(68, 36, 3.5, "#1d130d"), path("M60 60C84 40 104 42 110 22 88 16 66 30 60 60z", "#6fae4a", { opacity: 0.9 })];
const fruits = {
  apple: () => [path("M60 38c10-10 44-8 44 26 0 26-22 48-34 44-6-2-14-2-20 0-12 4-34-18-34-44 0-34 34-36 44-26z", "#c8372d"), stroke("M60 38c0-10 4-18 10-22", "#5b3d22", 4), path("M66 26c8-12 22-12 30-8-6 10-18 14-30 8z", "#5b9a45")],
  avocado: () => [path("M60 12c16 0 20 24 30 44s6 54-30 54-40-34-30-54 14-44 30-44z", "#3f5b2c"), path("M60 22c12 0 15 20 22 38s2 40-22 40-29-22-22-40 10-38 22-38z", "#dbe08e"), dot(60, 76, 15, "#8a5a35")],
  banana: () => [path("M18 34c4 40 32 62 80 58 6-1 8-6 4-10-34-2-56-18-66-52-6-6-18-4-18 4z", "#f0c93b"), stroke("M24 40c8 32 34 48 70 48", "#c99f24", 3), path("M18 34c-2-8 2-14 8-14 4 2 8 6 10 10-6-2-14-2-18 4z", "#6b5223")],
  plum: () => [path("M62 28c30-2 46 20 40 46-6 24-28 38-46 34-26-4-42-26-36-50 6-20 22-30 42-30z", "#5d3a78"), stroke("M62 30c-8 20-8 50 0 76", "#472a60", 3), stroke("M62 30c2-8 6-12 12-16", "#5b3d22", 4)],
  strawberry: () => [path("M60 112C30 96 14 66 22 46c8-16 30-14 38-6 8-8 30-10 38 6 8 20-8 50-38 66z", "#d6323f"), path("M60 40c-16 6-28 2-34-8 12-2 20-4 26-2 0-6 4-12 8-14 4 2 8 8 8 14 6-2 14 0 26 2-6 10-18 14-34 8z", "#4f9a45"), ...[[40, 58], [56, 56], [74, 58], [48, 72], [64, 72], [80, 70], [56, 88], [70, 86]].map(([x, y]) => oval(x, y, 2, 3, "#f6d77a"))],
};

function parts(article) {
  const { id, species, group, kind } = article;
  if (Object.hasOwn(fruits, id)) return fruits[id]();
  if (species === "cat" || Object.hasOwn(coats, id)) return cat(article);
  if (species === "dog") return dog(article);
  if (wildDogs.has(id)) return dog({ id, group: id === "arctic_fox" ? "spitz_and_primitive" : "wild" });
  if (Object.hasOwn(hoofed, id)) return hoof(article);
  if (kind === "fruit") return fruits.apple();
  return ({ bird, reptile, amphibian, invertebrate: insect }[group] ?? mammal)(article);
}

/** The body type of a wild animal: `cat`, `dog` or `hoofed`, or null for any other. */
export const likeness = (id) => (Object.hasOwn(coats, id) ? "cat" : wildDogs.has(id) ? "dog" : Object.hasOwn(hoofed, id) ? "hoofed" : null);

/** Draws an article's animal or fruit as an SVG of 120 × 120 units. Screen readers skip it, because its name stands beside it. */
export const drawing = (article, { large = false } = {}) =>
  svg("svg", { class: large ? "drawing large" : "drawing", viewBox: "0 0 120 120", "aria-hidden": "true", focusable: "false" }, parts(article));
