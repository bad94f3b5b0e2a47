// What a model may be called.

/** “My fruits, 5B” as the service takes names: “my_fruits_5b”. */
export const asModelName = (words) => words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 128);
