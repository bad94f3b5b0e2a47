// What an animal itself is called: as a person said, and as the service takes it to be.

/** The name that a person gave, or "". */
export const petName = ({ individual }) => (typeof individual === "string" ? individual : "");

/**
 * Who the service takes the animal for, `{ name, percent, message }`; null where it is none that it knows, or a person said who
 * it is. A new photo has it as `individual`, a scan that was kept as `individual_answer`.
 */
export function petGuess({ individual, individual_answer: kept }) {
  if (typeof individual === "string") return null;
  const guess = individual ?? kept;
  return guess?.name ? guess : null;
}
