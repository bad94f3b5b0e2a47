// Conversion of free text to a valid model name.

/** Converts “My fruits, 5B” to “my_fruits_5b”, which the service accepts as a name. */
export const asModelName = (words) => words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 128);
