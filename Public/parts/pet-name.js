// The own name of an animal: the name that a person gave it, and the service's guess.

/** The name that a person gave. Empty if there is none. */
export const petName = ({ individual }) => (typeof individual === "string" ? individual : "");

/**
 * The named animal that the service recognised, as `{ name, percent, message }`. Null if it recognised none, or if a person gave a name.
 * A new answer has the guess in `individual`, and a saved scan has it in `individual_answer`.
 */
export function petGuess({ individual, individual_answer: kept }) {
  if (typeof individual === "string") return null;
  const guess = individual ?? kept;
  return guess?.name ? guess : null;
}
