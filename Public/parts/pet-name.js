// What an animal itself is called: as a person said, and as the service takes it to be.

/** The name that a person gave, or "". */
export const petName = ({ individual }) => (typeof individual === "string" ? individual : "");

/** Who the service takes the animal of a new photo for, `{ name, percent, message }`; null where it is none that it knows. */
export const petGuess = ({ individual }) => (individual && typeof individual === "object" && individual.name ? individual : null);
