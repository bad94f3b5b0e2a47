// What the service says of its terms, as true as the program behind it.

import { statement } from "../parts/statement.js";

export const render = async () => statement("terms", 5);
