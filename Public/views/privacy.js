// What the service says of privacy, as true as the program behind it.

import { statement } from "../parts/statement.js";

export const render = async () => statement("privacy", 7);
